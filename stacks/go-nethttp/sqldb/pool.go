// Package sqldb is what the databases behind database/sql have in common.
package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// mostStatements bounds what a connection keeps prepared: batches have as many statements as they have sizes.
const mostStatements = 64

// Open gives a pool of at most so many connections, all of which it may keep, and on each of which a query is prepared
// once. (By itself database/sql prepares a query with arguments anew each time, or, for a sql.Stmt, in each transaction.)
func Open(from driver.Connector, connections int) *sql.DB {
	db := sql.OpenDB(connector{from})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	able, is := opened.(session)
	if !is {
		opened.Close()
		return nil, fmt.Errorf("%T cannot prepare with a context", opened)
	}
	return &conn{session: able, prepared: map[string]statement{}}, nil
}

// session is what a driver's connection has to offer; statement what its statements have to.
type session interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.Pinger
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// conn is used by one goroutine at a time, as every driver.Conn.
type conn struct {
	session
	prepared map[string]statement
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args)
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args)
}

// statement gives driver.ErrSkip, on which database/sql prepares and closes one itself, when enough are kept.
func (c *conn) statement(ctx context.Context, query string) (statement, error) {
	if s, kept := c.prepared[query]; kept {
		return s, nil
	}
	if len(c.prepared) == mostStatements {
		return nil, driver.ErrSkip
	}
	made, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s, is := made.(statement)
	if !is {
		made.Close()
		return nil, driver.ErrSkip
	}
	c.prepared[query] = s
	return s, nil
}

func (c *conn) Close() error {
	for _, s := range c.prepared {
		s.Close()
	}
	return c.session.Close()
}

// The optional interfaces of a connection, as the driver has them.

func (c *conn) CheckNamedValue(value *driver.NamedValue) error {
	if checker, is := c.session.(driver.NamedValueChecker); is {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}

func (c *conn) ResetSession(ctx context.Context) error {
	if resetter, is := c.session.(driver.SessionResetter); is {
		return resetter.ResetSession(ctx)
	}
	return nil
}

func (c *conn) IsValid() bool {
	validator, is := c.session.(driver.Validator)
	return !is || validator.IsValid()
}
