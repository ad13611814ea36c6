package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const (
	nameQuery  = "SELECT name FROM items WHERE id = $1"
	namesQuery = "SELECT id, name FROM items WHERE id = ANY($1)"
)

// ItemName reads one item's name.
func (s *Store) ItemName(ctx context.Context, id int64) (name string, err error) {
	err = s.pool.QueryRow(ctx, nameQuery, id).Scan(&name)
	return name, none(err)
}

// ItemNames reads the names by one select each, all of which are sent before the first answer is read.
func (s *Store) ItemNames(ctx context.Context, ids []int64) ([]string, error) {
	batch := &pgx.Batch{}
	for _, id := range ids {
		batch.Queue(nameQuery, id)
	}
	results := s.pool.SendBatch(ctx, batch)
	defer results.Close()
	names := make([]string, len(ids))
	for place := range ids {
		if err := results.QueryRow().Scan(&names[place]); err != nil {
			return nil, none(err)
		}
	}
	return names, results.Close()
}

// ItemNamesByID reads the names by one select.
func (s *Store) ItemNamesByID(ctx context.Context, ids []int64) (map[int64]string, error) {
	rows, err := s.pool.Query(ctx, namesQuery, ids)
	if err != nil {
		return nil, err
	}
	names := make(map[int64]string, len(ids))
	var id int64
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	return names, err
}
