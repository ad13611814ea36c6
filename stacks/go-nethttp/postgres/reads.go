package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"fairtrial/go-nethttp/model"
)

const (
	itemColumns  = "id, uuid, name, hash_code, created_at"
	pickQuery    = "SELECT " + itemColumns + " FROM items WHERE id >= $1 ORDER BY id LIMIT 1"
	byUUIDQuery  = "SELECT " + itemColumns + " FROM items WHERE uuid = $1"
	boundsQuery  = "SELECT min(id), max(id) FROM items"
	categoryList = "SELECT id, name, slug, description FROM categories ORDER BY id"
	articleList  = "SELECT id, name, type, tags, description FROM articles"
	ratingList   = "SELECT user_number, article_id FROM ratings"
	pageQuery    = "SELECT name, uuid, description FROM items WHERE id = $1"
	beforeQuery  = "SELECT name FROM items WHERE id < $1 ORDER BY id DESC LIMIT $2"
	countQuery   = "SELECT count(*) FROM categories"
)

// bounds are the first and the last id of items.
type bounds struct{ first, last int64 }

// RandomItem draws an id and reads the first item from there on.
func (s *Store) RandomItem(ctx context.Context) (model.Item, error) {
	ids, err := s.bounds.Get(ctx, s.readBounds)
	if err != nil {
		return model.Item{}, err
	}
	return item(s.pool.QueryRow(ctx, pickQuery, ids.first+rand.Int64N(ids.last-ids.first+1)))
}

func (s *Store) readBounds(ctx context.Context) (bounds, error) {
	var first, last *int64
	if err := s.pool.QueryRow(ctx, boundsQuery).Scan(&first, &last); err != nil {
		return bounds{}, err
	}
	if first == nil {
		return bounds{}, errors.New("the table items is empty")
	}
	return bounds{*first, *last}, nil
}

// ItemByUUID reads the item with this uuid.
func (s *Store) ItemByUUID(ctx context.Context, uuid string) (model.Item, error) {
	return item(s.pool.QueryRow(ctx, byUUIDQuery, uuid))
}

func item(row pgx.Row) (model.Item, error) {
	var i model.Item
	var created time.Time
	if err := row.Scan(&i.ID, &i.UUID, &i.Name, &i.HashCode, &created); err != nil {
		return i, none(err)
	}
	i.CreatedAt = created.UTC().Format(time.RFC3339)
	return i, nil
}

// Categories reads all categories by id.
func (s *Store) Categories(ctx context.Context) ([]model.Category, error) {
	rows, _ := s.pool.Query(ctx, categoryList)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[model.Category])
}

// Articles reads all articles.
func (s *Store) Articles(ctx context.Context) ([]model.Article, error) {
	rows, _ := s.pool.Query(ctx, articleList)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[model.Article])
}

// Ratings reads all ratings.
func (s *Store) Ratings(ctx context.Context) ([]model.Rating, error) {
	rows, _ := s.pool.Query(ctx, ratingList)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[model.Rating])
}

// PageItem reads what a page shows of its item.
func (s *Store) PageItem(ctx context.Context, id int64) (model.PageItem, error) {
	var i model.PageItem
	err := s.pool.QueryRow(ctx, pageQuery, id).Scan(&i.Name, &i.UUID, &i.Description)
	return i, none(err)
}

// NamesBefore reads the names of the items before this one, the nearest first.
func (s *Store) NamesBefore(ctx context.Context, id int64, limit int) ([]string, error) {
	rows, _ := s.pool.Query(ctx, beforeQuery, id, limit)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// CountCategories counts the categories.
func (s *Store) CountCategories(ctx context.Context) (count int64, err error) {
	err = s.pool.QueryRow(ctx, countQuery).Scan(&count)
	return count, err
}
