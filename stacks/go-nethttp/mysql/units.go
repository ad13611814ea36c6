package mysql

import (
	"context"
	"database/sql"

	"fairtrial/go-nethttp/model"
)

const (
	countUnits  = "SELECT count(*) FROM units"
	countLabels = "SELECT count(*) FROM units WHERE label = ?"
	insertUnit  = "INSERT INTO units (name, value, label) VALUES (?, ?, ?)"
	updateUnit  = "UPDATE units SET value = value + 1 WHERE id = ?"
)

// RunUnit does a unit of work on one connection.
func (s *Store) RunUnit(ctx context.Context, unit model.Unit) (int64, error) {
	conn, err := s.DB.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if unit.Transaction == model.NoTransaction {
		return statements(ctx, conn, unit)
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	counted, err := statements(ctx, tx, unit)
	if err != nil {
		return 0, err
	}
	if unit.Transaction == model.RolledBack {
		return counted, tx.Rollback()
	}
	return counted, tx.Commit()
}

// session is a connection, or a transaction on it.
type session interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func statements(ctx context.Context, on session, unit model.Unit) (first int64, err error) {
	for number := range unit.Counts {
		var counted int64
		if err = on.QueryRowContext(ctx, countUnits).Scan(&counted); err != nil {
			return 0, err
		}
		if number == 0 {
			first = counted
		}
	}
	for range unit.LabelCounts {
		var red int64
		if err = on.QueryRowContext(ctx, countLabels, "red").Scan(&red); err != nil {
			return 0, err
		}
	}
	var inserted int64
	for range unit.Inserts {
		result, err := on.ExecContext(ctx, insertUnit, "unit", 0, "blue")
		if err != nil {
			return 0, err
		}
		if inserted, err = result.LastInsertId(); err != nil {
			return 0, err
		}
	}
	for range unit.Updates {
		if _, err = on.ExecContext(ctx, updateUnit, inserted); err != nil {
			return 0, err
		}
	}
	return first, nil
}
