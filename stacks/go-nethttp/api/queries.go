package api

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

const longestSleepMilliseconds = 10_000

// QueryStore asks the database without a table. Sleep ends when the database has slept.
type QueryStore interface {
	One(ctx context.Context) (int, error)
	Sleep(ctx context.Context, length time.Duration) error
}

func shortQuery(store QueryStore) handler {
	type answer struct {
		Value int `json:"value"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		value, err := store.One(r.Context())
		if err != nil {
			return err
		}
		return answerJSON(w, answer{value})
	}
}

func longQuery(store QueryStore) handler {
	type answer struct {
		Slept int `json:"slept"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		milliseconds, err := strconv.Atoi(r.PathValue("milliseconds"))
		if err != nil || milliseconds < 1 || milliseconds > longestSleepMilliseconds {
			return status(http.StatusBadRequest)
		}
		if err := store.Sleep(r.Context(), time.Duration(milliseconds)*time.Millisecond); err != nil {
			return err
		}
		return answerJSON(w, answer{milliseconds})
	}
}
