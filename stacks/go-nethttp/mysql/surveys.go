package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"fairtrial/go-nethttp/model"
)

const (
	insertSurvey  = "INSERT INTO surveys (survey, user_number, answers) VALUES "
	surveyRow     = "(?, ?, ?)"
	replaceSurvey = "UPDATE surveys SET answers = ? WHERE survey = ? AND user_number = ?"
)

// A value that cannot be stored: an invalid one for JSON (MySQL), a failed CHECK (MariaDB's JSON), a too long one.
var refusals = map[uint16]bool{3140: true, 4025: true, 1406: true}

// InsertSurvey stores one survey; without a transaction around it, the statement commits.
func (s *Store) InsertSurvey(ctx context.Context, survey model.Survey) error {
	return s.InsertSurveys(ctx, []model.Survey{survey})
}

// InsertSurveys stores surveys by one statement, which commits: all of them or none.
func (s *Store) InsertSurveys(ctx context.Context, surveys []model.Survey) error {
	query := insertSurvey + surveyRow + strings.Repeat(", "+surveyRow, len(surveys)-1)
	args := make([]any, 0, 3*len(surveys))
	for _, survey := range surveys {
		args = append(args, survey.Name, survey.User, survey.JSON)
	}
	_, err := s.DB.ExecContext(ctx, query, args...)
	return refused(err)
}

// ReplaceSurvey replaces the answers or inserts them. At READ COMMITTED an update that finds nothing locks no gap: at
// REPEATABLE READ two of them would wait for each other's gap with their inserts.
func (s *Store) ReplaceSurvey(ctx context.Context, survey model.Survey) error {
	tx, err := s.DB.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	replaced, err := tx.ExecContext(ctx, replaceSurvey, survey.JSON, survey.Name, survey.User)
	if err != nil {
		return refused(err)
	}
	found, err := replaced.RowsAffected()
	if err != nil {
		return err
	}
	if found == 0 {
		if _, err := tx.ExecContext(ctx, insertSurvey+surveyRow, survey.Name, survey.User, survey.JSON); err != nil {
			return refused(err)
		}
	}
	return tx.Commit()
}

func refused(err error) error {
	var said *driver.MySQLError
	if errors.As(err, &said) && refusals[said.Number] {
		return fmt.Errorf("%w: %w", model.ErrRefused, err)
	}
	return err
}
