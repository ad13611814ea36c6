package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fairtrial/go-nethttp/model"
)

const (
	countUnits  = "SELECT count(*) FROM units"
	countLabels = "SELECT count(*) FROM units WHERE label = $1"
	insertUnit  = "INSERT INTO units (name, value, label) VALUES ($1, $2, $3) RETURNING id"
	updateUnit  = "UPDATE units SET value = value + 1 WHERE id = $1"
)

// RunUnit does a unit of work on one connection.
func (s *Store) RunUnit(ctx context.Context, unit model.Unit) (int64, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	if unit.Transaction == model.NoTransaction {
		return statements(ctx, conn, unit)
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(ctx)
	counted, err := statements(ctx, tx, unit)
	if err != nil {
		return 0, err
	}
	if unit.Transaction == model.RolledBack {
		return counted, tx.Rollback(ctx)
	}
	return counted, tx.Commit(ctx)
}

// session is a connection, or a transaction on it.
type session interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
}

func statements(ctx context.Context, on session, unit model.Unit) (first int64, err error) {
	for number := range unit.Counts {
		var counted int64
		if err = on.QueryRow(ctx, countUnits).Scan(&counted); err != nil {
			return 0, err
		}
		if number == 0 {
			first = counted
		}
	}
	for range unit.LabelCounts {
		var red int64
		if err = on.QueryRow(ctx, countLabels, "red").Scan(&red); err != nil {
			return 0, err
		}
	}
	var inserted int64
	for range unit.Inserts {
		if err = on.QueryRow(ctx, insertUnit, "unit", 0, "blue").Scan(&inserted); err != nil {
			return 0, err
		}
	}
	for range unit.Updates {
		if _, err = on.Exec(ctx, updateUnit, inserted); err != nil {
			return 0, err
		}
	}
	return first, nil
}
