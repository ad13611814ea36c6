package mongodb

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"fairtrial/go-nethttp/model"
)

// survey is a document of the collection surveys.
type survey struct {
	Survey     string         `bson:"survey"`
	UserNumber int32          `bson:"user_number"`
	Answers    map[string]any `bson:"answers"`
}

func document(s model.Survey) survey { return survey{s.Name, s.User, s.Answers} }

// InsertSurvey stores one survey.
func (s *Store) InsertSurvey(ctx context.Context, survey model.Survey) error {
	_, err := s.surveys().InsertOne(ctx, document(survey))
	return refused(err)
}

// InsertSurveys stores surveys by one command.
func (s *Store) InsertSurveys(ctx context.Context, surveys []model.Survey) error {
	documents := make([]survey, len(surveys))
	for place, one := range surveys {
		documents[place] = document(one)
	}
	_, err := s.surveys().InsertMany(ctx, documents)
	return refused(err)
}

// ReplaceSurvey replaces the document of this survey and user, or inserts it.
func (s *Store) ReplaceSurvey(ctx context.Context, survey model.Survey) error {
	same := bson.D{{Key: "survey", Value: survey.Name}, {Key: "user_number", Value: survey.User}}
	_, err := s.surveys().ReplaceOne(ctx, same, document(survey), options.Replace().SetUpsert(true))
	return refused(err)
}

func (s *Store) surveys() *mongo.Collection { return s.database.Collection("surveys") }

// refused tells documents that cannot be written down, and so were not sent, from other errors.
func refused(err error) error {
	if errors.As(err, &mongo.MarshalError{}) {
		return fmt.Errorf("%w: %w", model.ErrRefused, err)
	}
	return err
}
