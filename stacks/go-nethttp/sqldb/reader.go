package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"

	"fairtrial/go-nethttp/lazy"
	"fairtrial/go-nethttp/model"
)

const (
	itemColumns  = "id, uuid, name, hash_code, created_at"
	pickQuery    = "SELECT " + itemColumns + " FROM items WHERE id >= ? ORDER BY id LIMIT 1"
	byUUIDQuery  = "SELECT " + itemColumns + " FROM items WHERE uuid = ?"
	categoryList = "SELECT id, name, slug, description FROM categories ORDER BY id"
	articleList  = "SELECT id, name, type, tags, description FROM articles"
	ratingList   = "SELECT user_number, article_id FROM ratings"
	// Two selects, because min() and max() in one would scan the whole table.
	boundsQuery = "SELECT (SELECT min(id) FROM items), (SELECT max(id) FROM items)"
)

// Reader reads the tables that are asked for in the same words everywhere.
type Reader struct {
	DB     *sql.DB
	bounds lazy.Value[bounds]
}

// bounds are the first and the last id of items.
type bounds struct{ first, last int64 }

// Ping says whether the database is there.
func (r *Reader) Ping(ctx context.Context) error { return r.DB.PingContext(ctx) }

// Close closes the pool.
func (r *Reader) Close() error { return r.DB.Close() }

// RandomItem draws an id and reads the first item from there on.
func (r *Reader) RandomItem(ctx context.Context) (model.Item, error) {
	ids, err := r.bounds.Get(ctx, r.readBounds)
	if err != nil {
		return model.Item{}, err
	}
	return item(r.DB.QueryRowContext(ctx, pickQuery, ids.first+rand.Int64N(ids.last-ids.first+1)))
}

func (r *Reader) readBounds(ctx context.Context) (bounds, error) {
	var first, last sql.NullInt64
	if err := r.DB.QueryRowContext(ctx, boundsQuery).Scan(&first, &last); err != nil {
		return bounds{}, err
	}
	if !first.Valid {
		return bounds{}, errors.New("the table items is empty")
	}
	return bounds{first.Int64, last.Int64}, nil
}

// ItemByUUID reads the item with this uuid.
func (r *Reader) ItemByUUID(ctx context.Context, uuid string) (model.Item, error) {
	return item(r.DB.QueryRowContext(ctx, byUUIDQuery, uuid))
}

func item(row *sql.Row) (model.Item, error) {
	var i model.Item
	err := row.Scan(&i.ID, &i.UUID, &i.Name, &i.HashCode, &i.CreatedAt)
	return i, None(err)
}

// None gives model.ErrNone for sql.ErrNoRows, and other errors as they are.
func None(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return model.ErrNone
	}
	return err
}

// Categories reads all categories by id.
func (r *Reader) Categories(ctx context.Context) ([]model.Category, error) {
	return Collect(ctx, r.DB, func(rows *sql.Rows, c *model.Category) error {
		return rows.Scan(&c.ID, &c.Name, &c.Slug, &c.Description)
	}, categoryList)
}

// Articles reads all articles.
func (r *Reader) Articles(ctx context.Context) ([]model.Article, error) {
	return Collect(ctx, r.DB, func(rows *sql.Rows, a *model.Article) error {
		return rows.Scan(&a.ID, &a.Name, &a.Type, &a.Tags, &a.Description)
	}, articleList)
}

// Ratings reads all ratings.
func (r *Reader) Ratings(ctx context.Context) ([]model.Rating, error) {
	return Collect(ctx, r.DB, func(rows *sql.Rows, one *model.Rating) error {
		return rows.Scan(&one.User, &one.Article)
	}, ratingList)
}

// Collect gives all rows of a query.
func Collect[T any](
	ctx context.Context, db *sql.DB, scan func(*sql.Rows, *T) error, query string, args ...any,
) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	collected := []T{}
	for rows.Next() {
		var one T
		if err := scan(rows, &one); err != nil {
			return nil, err
		}
		collected = append(collected, one)
	}
	return collected, rows.Err()
}
