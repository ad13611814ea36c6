// Package sqlite reads items, categories, articles and ratings from a file.
package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/url"
	"strings"

	"github.com/mattn/go-sqlite3"

	"fairtrial/go-nethttp/sqldb"
)

// The same in every stack, because drivers are compiled with different defaults.
const pragmas = "PRAGMA busy_timeout = 5000; PRAGMA cache_size = -2000; PRAGMA mmap_size = 0"

// Store is a file, opened read-only.
type Store struct{ sqldb.Reader }

// Open takes sqlite:////absolute/path.db.
func Open(address *url.URL, connections int) (*Store, error) {
	path, found := strings.CutPrefix(address.Path, "//")
	if address.Host != "" || !found {
		return nil, errors.New("it must be sqlite:////absolute/path.db")
	}
	source := url.URL{Scheme: "file", Path: "/" + path, RawQuery: "mode=ro"}
	db := sqldb.Open(connector{source.String()}, connections)
	return &Store{sqldb.Reader{DB: db}}, nil
}

type connector struct{ source string }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	return c.Driver().Open(c.source)
}

func (c connector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{
		ConnectHook: func(connection *sqlite3.SQLiteConn) error {
			_, err := connection.Exec(pragmas, nil)
			return err
		},
	}
}
