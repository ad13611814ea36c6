// Package model is what handlers and stores speak of.
package model

import "errors"

var (
	// ErrNone says that there is no such row, document or key.
	ErrNone = errors.New("there is none")
	// ErrRefused says that the database cannot hold these values, and has stored nothing.
	ErrRefused = errors.New("the database refuses the values")
)

// Item is a row of the table items, without what is not answered.
type Item struct {
	ID        int64  `json:"id"`
	UUID      string `json:"uuid"`
	Name      string `json:"name"`
	HashCode  string `json:"hash_code"`
	CreatedAt string `json:"created_at"` // RFC 3339, UTC
}

// Category is a row of the table categories.
type Category struct {
	ID          int64  `json:"id" bson:"_id"`
	Name        string `json:"name" bson:"name"`
	Slug        string `json:"slug" bson:"slug"`
	Description string `json:"description" bson:"description"`
}

// Article is a row of the table articles.
type Article struct {
	ID          int64  `bson:"_id"`
	Name        string `bson:"name"`
	Type        string `bson:"type"`
	Tags        string `bson:"tags"`
	Description string `bson:"description"`
}

// Rating says that a user has rated an article: a row of the table ratings.
type Rating struct {
	User    int64
	Article int64
}

// Survey is what one user answers in one survey.
type Survey struct {
	Name    string
	User    int32
	JSON    string         // the answers, as they came
	Answers map[string]any // the same, parsed
}

// PageItem is what a page shows of its item.
type PageItem struct {
	Name, UUID, Description string
}

// Unit is a unit of work on the table units: so many statements of each kind, in this order.
type Unit struct {
	Counts, LabelCounts, Inserts, Updates int
	Transaction                           Transaction
}

// Transaction is what a unit of work runs in.
type Transaction int

const (
	NoTransaction Transaction = iota
	RolledBack
	Committed
)
