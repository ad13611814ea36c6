package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fairtrial/go-nethttp/model"
)

const (
	insertSurvey = "INSERT INTO surveys (survey, user_number, answers) VALUES ($1, $2, $3)"
	// One statement for batches of every size.
	insertSurveys = "INSERT INTO surveys (survey, user_number, answers) " +
		"SELECT * FROM unnest($1::text[], $2::int[], $3::jsonb[])"
	replaceSurvey = "UPDATE surveys SET answers = $3 WHERE survey = $1 AND user_number = $2"

	dataException = "22" // a class of errors: a value that the type cannot hold
)

// InsertSurvey stores one survey; without a transaction around it, the statement commits.
func (s *Store) InsertSurvey(ctx context.Context, survey model.Survey) error {
	_, err := s.pool.Exec(ctx, insertSurvey, survey.Name, survey.User, survey.JSON)
	return refused(err)
}

// InsertSurveys stores surveys by one statement, which commits: all of them or none.
func (s *Store) InsertSurveys(ctx context.Context, surveys []model.Survey) error {
	names := make([]string, len(surveys))
	users := make([]int32, len(surveys))
	answers := make([]string, len(surveys))
	for place, survey := range surveys {
		names[place], users[place], answers[place] = survey.Name, survey.User, survey.JSON
	}
	_, err := s.pool.Exec(ctx, insertSurveys, names, users, answers)
	return refused(err)
}

// ReplaceSurvey replaces the answers or inserts them.
func (s *Store) ReplaceSurvey(ctx context.Context, survey model.Survey) error {
	return refused(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		replaced, err := tx.Exec(ctx, replaceSurvey, survey.Name, survey.User, survey.JSON)
		if err == nil && replaced.RowsAffected() == 0 {
			_, err = tx.Exec(ctx, insertSurvey, survey.Name, survey.User, survey.JSON)
		}
		return err
	}))
}

func refused(err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) && strings.HasPrefix(said.Code, dataException) {
		return fmt.Errorf("%w: %w", model.ErrRefused, err)
	}
	return err
}
