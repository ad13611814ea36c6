package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

type end int

const (
	none end = iota
	rolledBack
	committed
)

type unit struct {
	counts, labelCounts, inserts, updates int
	transaction                           end
}

var units = map[string]unit{
	"very-light": {counts: 1},
	"light":      {counts: 1, inserts: 1},
	"moderate":   {counts: 2, inserts: 1, transaction: rolledBack},
	"heavy":      {counts: 3, inserts: 1, updates: 1, transaction: committed},
	"very-heavy": {counts: 3, labelCounts: 1, inserts: 1, updates: 2, transaction: committed},
}

// runUnits does units of work of one weight, shared out over as many goroutines as connections.
func runUnits(ctx context.Context) error {
	told, err := numbers("UNITS", "DB_POOL")
	if err != nil {
		return err
	}
	wanted, known := units[os.Getenv("WEIGHT")]
	if !known {
		return fmt.Errorf("there is no weight %q", os.Getenv("WEIGHT"))
	}
	database, isPostgres, err := open(told[1])
	if err != nil {
		return err
	}
	defer database.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return shareOut(told[1], times(ctx, told[0], wanted), func(wanted unit) error {
		return runUnit(ctx, database, isPostgres, wanted)
	})
}

// session is a connection, or a transaction on it.
type session interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func runUnit(ctx context.Context, database *sql.DB, isPostgres bool, wanted unit) error {
	conn, err := database.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if wanted.transaction == none {
		return statements(ctx, conn, isPostgres, wanted)
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := statements(ctx, tx, isPostgres, wanted); err != nil {
		return err
	}
	if wanted.transaction == rolledBack {
		return tx.Rollback()
	}
	return tx.Commit()
}

func statements(ctx context.Context, on session, isPostgres bool, wanted unit) error {
	one := func(number int) string {
		if isPostgres {
			return fmt.Sprintf("$%d", number)
		}
		return "?"
	}
	var counted int64
	for range wanted.counts {
		if err := on.QueryRowContext(ctx, "SELECT count(*) FROM units").Scan(&counted); err != nil {
			return err
		}
	}
	for range wanted.labelCounts {
		count := "SELECT count(*) FROM units WHERE label = " + one(1)
		if err := on.QueryRowContext(ctx, count, "red").Scan(&counted); err != nil {
			return err
		}
	}
	var inserted int64
	for range wanted.inserts {
		var err error
		if inserted, err = insert(ctx, on, isPostgres); err != nil {
			return err
		}
	}
	for range wanted.updates {
		if _, err := on.ExecContext(ctx, "UPDATE units SET value = value + 1 WHERE id = "+one(1), inserted); err != nil {
			return err
		}
	}
	return nil
}

func insert(ctx context.Context, on session, isPostgres bool) (id int64, err error) {
	if isPostgres {
		statement := "INSERT INTO units (name, value, label) VALUES ($1, $2, $3) RETURNING id"
		err = on.QueryRowContext(ctx, statement, "unit", 0, "blue").Scan(&id)
		return id, err
	}
	result, err := on.ExecContext(ctx, "INSERT INTO units (name, value, label) VALUES (?, ?, ?)", "unit", 0, "blue")
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}
