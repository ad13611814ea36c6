package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/mattn/go-sqlite3"
)

const (
	columns     = "id, uuid, name, hash_code, created_at"
	pickQuery   = "SELECT " + columns + " FROM items WHERE id >= ? ORDER BY id LIMIT 1"
	byUUIDQuery = "SELECT " + columns + " FROM items WHERE uuid = ?"
	// Two selects, because min() and max() in one would scan the whole table.
	boundsQuery = "SELECT (SELECT min(id) FROM items), (SELECT max(id) FROM items)"

	// The same in every stack, because drivers are compiled with different defaults.
	pragmas = "PRAGMA busy_timeout = 5000; PRAGMA cache_size = -2000; PRAGMA mmap_size = 0"

	driverName   = "sqlite3-with-pragmas"
	sqliteScheme = "sqlite:///"
)

var errNoItem = errors.New("no such item")

type item struct {
	ID        int64  `json:"id"`
	UUID      string `json:"uuid"`
	Name      string `json:"name"`
	HashCode  string `json:"hash_code"`
	CreatedAt string `json:"created_at"`
}

// store is the database: a pool of connections, and the queries.
type store struct {
	db          *sql.DB
	pick        *sql.Stmt
	byUUID      *sql.Stmt
	first, last int64
}

func init() {
	sql.Register(driverName, &sqlite3.SQLiteDriver{
		ConnectHook: func(connection *sqlite3.SQLiteConn) error {
			_, err := connection.Exec(pragmas, nil)
			return err
		},
	})
}

func openStore(ctx context.Context, databaseURL string, connections int) (*store, error) {
	path, err := sqlitePath(databaseURL)
	if err != nil {
		return nil, err
	}
	source := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro"}
	db, err := sql.Open(driverName, source.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)

	s := &store{db: db}
	if err := s.prepare(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (s *store) prepare(ctx context.Context) (err error) {
	var first, last sql.NullInt64
	if err = s.db.QueryRowContext(ctx, boundsQuery).Scan(&first, &last); err != nil {
		return err
	}
	if !first.Valid {
		return errors.New("the table items is empty")
	}
	s.first, s.last = first.Int64, last.Int64

	if s.pick, err = s.db.PrepareContext(ctx, pickQuery); err != nil {
		return err
	}
	s.byUUID, err = s.db.PrepareContext(ctx, byUUIDQuery)
	return err
}

func (s *store) Close() error {
	return s.db.Close()
}

func (s *store) randomItem(ctx context.Context) (item, error) {
	return one(s.pick.QueryRowContext(ctx, s.first+rand.Int64N(s.last-s.first+1)))
}

func (s *store) itemByUUID(ctx context.Context, uuid string) (item, error) {
	return one(s.byUUID.QueryRowContext(ctx, uuid))
}

func one(row *sql.Row) (item, error) {
	var i item
	err := row.Scan(&i.ID, &i.UUID, &i.Name, &i.HashCode, &i.CreatedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return i, errNoItem
	}
	return i, err
}

func sqlitePath(databaseURL string) (string, error) {
	path, found := strings.CutPrefix(databaseURL, sqliteScheme)
	if !found || !strings.HasPrefix(path, "/") {
		return "", fmt.Errorf("DATABASE_URL must be sqlite:////absolute/path.db, not %q", databaseURL)
	}
	return path, nil
}
