package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"unicode/utf8"

	"fairtrial/go-nethttp/model"
)

const largestBodyBytes = 65_536

var surveyName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// SurveyStore keeps surveys. It returns once they are committed; model.ErrRefused says that none of them is.
type SurveyStore interface {
	InsertSurvey(ctx context.Context, survey model.Survey) error
	InsertSurveys(ctx context.Context, surveys []model.Survey) error
	// ReplaceSurvey replaces the answers of this user in this survey, or inserts them.
	ReplaceSurvey(ctx context.Context, survey model.Survey) error
}

// surveyHandlers are those of the three ways to keep a survey.
type surveyHandlers struct {
	insert, insertBatched, replace handler
}

// surveyRoutes only parses where there is no database.
func surveyRoutes(s Services) surveyHandlers {
	if s.Database == nil {
		parsed := kept(func(context.Context, model.Survey) error { return nil })
		return surveyHandlers{parsed, parsed, parsed}
	}
	store, is := s.Database.(SurveyStore)
	if !is {
		return surveyHandlers{unavailable, unavailable, unavailable}
	}
	batches := batcher{store: store, size: s.BatchSize}
	return surveyHandlers{
		insert:        kept(store.InsertSurvey),
		insertBatched: kept(batches.insert),
		replace:       kept(store.ReplaceSurvey),
	}
}

// kept answers 201 once keep has returned.
func kept(keep func(context.Context, model.Survey) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		survey, err := readSurvey(w, r)
		if err != nil {
			return err
		}
		if err := keep(r.Context(), survey); err != nil {
			return err
		}
		w.WriteHeader(http.StatusCreated)
		return nil
	}
}

func readSurvey(w http.ResponseWriter, r *http.Request) (model.Survey, error) {
	name := r.PathValue("survey")
	user, err := strconv.ParseInt(r.PathValue("user"), 10, 32)
	if err != nil || user < 1 || !surveyName.MatchString(name) {
		return model.Survey{}, status(http.StatusBadRequest)
	}
	body, err := readBody(w, r)
	if err != nil {
		return model.Survey{}, err
	}
	answers, is := parseObject(body)
	if !is {
		return model.Survey{}, status(http.StatusBadRequest)
	}
	return model.Survey{Name: name, User: int32(user), JSON: string(body), Answers: answers}, nil
}

// readBody gives *http.MaxBytesError for a body that is too long.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if 0 < r.ContentLength && r.ContentLength <= largestBodyBytes {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, largestBodyBytes))
	return body.Bytes(), err
}

// parseObject keeps numbers as they are written.
func parseObject(body []byte) (map[string]any, bool) {
	if !utf8.Valid(body) {
		return nil, false // the decoder would replace what is not
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil {
		return nil, false
	}
	_, err := decoder.Token()
	return object, err == io.EOF
}
