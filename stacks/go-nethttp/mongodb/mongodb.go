// Package mongodb is MongoDB, or a database that speaks its protocol.
package mongodb

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"fairtrial/go-nethttp/model"
)

const (
	selectionTimeout = 5 * time.Second
	closeTimeout     = time.Second
)

// Store is a pool of connections to one database.
type Store struct {
	client   *mongo.Client
	database *mongo.Database
}

// Open takes mongodb://HOST:PORT/DATABASE.
func Open(address *url.URL, connections int) (*Store, error) {
	name := strings.TrimPrefix(address.Path, "/")
	if name == "" {
		return nil, errors.New("it must be mongodb://HOST:PORT/DATABASE")
	}
	client, err := mongo.Connect(options.Client().
		ApplyURI(address.String()).
		SetMaxPoolSize(uint64(connections)).
		// An acknowledged write is on disk, as it is with the other databases.
		SetWriteConcern(writeconcern.Journaled()).
		SetServerSelectionTimeout(selectionTimeout))
	if err != nil {
		return nil, errors.New("it must be mongodb://HOST:PORT/DATABASE")
	}
	return &Store{client: client, database: client.Database(name)}, nil
}

// Ping says whether the database is there.
func (s *Store) Ping(ctx context.Context) error { return s.client.Ping(ctx, nil) }

// Close closes the pool.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return s.client.Disconnect(ctx)
}

// Categories reads all categories by id.
func (s *Store) Categories(ctx context.Context) ([]model.Category, error) {
	byID := options.Find().SetSort(bson.D{{Key: "_id", Value: 1}})
	return all[model.Category](ctx, s.database.Collection("categories"), byID)
}

// Articles reads all articles.
func (s *Store) Articles(ctx context.Context) ([]model.Article, error) {
	return all[model.Article](ctx, s.database.Collection("articles"), options.Find())
}

func all[T any](ctx context.Context, from *mongo.Collection, how *options.FindOptionsBuilder) ([]T, error) {
	found, err := from.Find(ctx, bson.D{}, how)
	if err != nil {
		return nil, err
	}
	documents := []T{}
	err = found.All(ctx, &documents)
	return documents, err
}
