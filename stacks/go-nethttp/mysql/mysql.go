// Package mysql is MariaDB, or MySQL.
package mysql

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"fairtrial/go-nethttp/model"
	"fairtrial/go-nethttp/sqldb"
)

const dialTimeout = 5 * time.Second

var sleepStatement = "SELECT " + cmp.Or(os.Getenv("LONG_FUNCTION"), "SLEEP") + "(?)"

// Store is a pool of connections.
type Store struct{ sqldb.Reader }

// Open takes mysql://USER:PASSWORD@HOST:PORT/DATABASE.
func Open(address *url.URL, connections int) (*Store, error) {
	config := driver.NewConfig()
	config.Net = "tcp"
	config.Addr = address.Host
	config.User = address.User.Username()
	config.Passwd, _ = address.User.Password()
	config.DBName = strings.TrimPrefix(address.Path, "/")
	config.Timeout = dialTimeout
	config.ParseTime = true
	config.Loc = time.UTC
	config.Params = map[string]string{"time_zone": "'+00:00'"}
	config.InterpolateParams = false // statements are prepared, and kept: see sqldb
	// Rows found, not rows changed: an answer that is replaced by the same is not one that was missing.
	config.ClientFoundRows = true
	connector, err := driver.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return &Store{sqldb.Reader{DB: sqldb.Open(connector, connections)}}, nil
}

// One asks for the number 1.
func (s *Store) One(ctx context.Context) (one int, err error) {
	err = s.DB.QueryRowContext(ctx, "SELECT 1").Scan(&one)
	return one, err
}

// Sleep has the database sleep, or work.
func (s *Store) Sleep(ctx context.Context, length time.Duration) error {
	var interrupted bool
	err := s.DB.QueryRowContext(ctx, sleepStatement, length.Seconds()).Scan(&interrupted)
	if err == nil && interrupted {
		return errors.New("the sleep was interrupted")
	}
	return err
}

// PageItem reads what a page shows of its item.
func (s *Store) PageItem(ctx context.Context, id int64) (model.PageItem, error) {
	var i model.PageItem
	row := s.DB.QueryRowContext(ctx, "SELECT name, uuid, description FROM items WHERE id = ?", id)
	err := row.Scan(&i.Name, &i.UUID, &i.Description)
	return i, sqldb.None(err)
}

// NamesBefore reads the names of the items before this one, the nearest first.
func (s *Store) NamesBefore(ctx context.Context, id int64, limit int) ([]string, error) {
	return sqldb.Collect(ctx, s.DB, func(rows *sql.Rows, name *string) error { return rows.Scan(name) },
		"SELECT name FROM items WHERE id < ? ORDER BY id DESC LIMIT ?", id, limit)
}

// CountCategories counts the categories.
func (s *Store) CountCategories(ctx context.Context) (count int64, err error) {
	err = s.DB.QueryRowContext(ctx, "SELECT count(*) FROM categories").Scan(&count)
	return count, err
}
