package mongodb

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"fairtrial/go-nethttp/model"
)

const (
	segments = 10_000
	// With one document in all, so many draws miss it once in 20,000 times.
	mostDraws = 10 * segments
)

var answered = bson.D{
	{Key: "uuid", Value: 1}, {Key: "name", Value: 1}, {Key: "hash_code", Value: 1}, {Key: "created_at", Value: 1},
}

// item is a document of the collection items.
type item struct {
	ID        int64     `bson:"_id"`
	UUID      string    `bson:"uuid"`
	Name      string    `bson:"name"`
	HashCode  string    `bson:"hash_code"`
	CreatedAt time.Time `bson:"created_at"`
}

// RandomItem draws a segment that has documents, and one of them.
func (s *Store) RandomItem(ctx context.Context) (model.Item, error) {
	items := s.database.Collection("items")
	for range mostDraws {
		segment := bson.D{{Key: "segment", Value: rand.IntN(segments)}}
		count, err := items.CountDocuments(ctx, segment)
		if err != nil {
			return model.Item{}, err
		}
		if count > 0 {
			skip := options.FindOne().SetProjection(answered).SetSkip(rand.Int64N(count))
			return decoded(items.FindOne(ctx, segment, skip))
		}
	}
	return model.Item{}, errors.New("the collection items seems to be empty")
}

// ItemByUUID reads the item with this uuid.
func (s *Store) ItemByUUID(ctx context.Context, uuid string) (model.Item, error) {
	items := s.database.Collection("items")
	return decoded(items.FindOne(ctx, bson.D{{Key: "uuid", Value: uuid}}, options.FindOne().SetProjection(answered)))
}

func decoded(found *mongo.SingleResult) (model.Item, error) {
	var i item
	err := found.Decode(&i)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return model.Item{}, model.ErrNone
	}
	return model.Item{
		ID:        i.ID,
		UUID:      i.UUID,
		Name:      i.Name,
		HashCode:  i.HashCode,
		CreatedAt: i.CreatedAt.UTC().Format(time.RFC3339),
	}, err
}
