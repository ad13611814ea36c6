// Package postgres is PostgreSQL, by pgx: its pool prepares each query once on each connection.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fairtrial/go-nethttp/lazy"
	"fairtrial/go-nethttp/model"
)

const connectTimeout = 5 * time.Second

var sleepStatement = "SELECT " + cmp.Or(os.Getenv("LONG_FUNCTION"), "pg_sleep") + "($1)"

// Store is a pool of connections.
type Store struct {
	pool   *pgxpool.Pool
	bounds lazy.Value[bounds]
}

// Open takes postgresql://USER:PASSWORD@HOST:PORT/DATABASE.
func Open(address string, connections int) (*Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("it must be postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	config.MaxConns = int32(connections)
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if os.Getenv("STATEMENTS") == "unprepared" {
		// What a statement's values are is asked once; it is parsed again each time.
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool}, nil
}

// Ping says whether the database is there.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// Close closes the pool.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// One asks for the number 1.
func (s *Store) One(ctx context.Context) (one int, err error) {
	err = s.pool.QueryRow(ctx, "SELECT 1").Scan(&one)
	return one, err
}

// Sleep has the database sleep, or work.
func (s *Store) Sleep(ctx context.Context, length time.Duration) error {
	_, err := s.pool.Exec(ctx, sleepStatement, length.Seconds())
	return err
}

// none gives model.ErrNone for pgx.ErrNoRows, and other errors as they are.
func none(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return model.ErrNone
	}
	return err
}
