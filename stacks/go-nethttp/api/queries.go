package api

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

const (
	longestSleepMilliseconds = 10_000
	mostShortQueries         = 1_000
)

// QueryStore asks the database without a table. Sleep ends when the database has slept, or worked.
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
		milliseconds, err := sleep(store, r)
		if err != nil {
			return err
		}
		return answerJSON(w, answer{milliseconds})
	}
}

// queryChain sleeps as longQuery does, and then asks short queries one after the other.
func queryChain(store QueryStore) handler {
	type answer struct {
		Slept int `json:"slept"`
		Sum   int `json:"sum"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		short, err := strconv.Atoi(r.PathValue("short"))
		if err != nil || short < 0 || short > mostShortQueries {
			return status(http.StatusBadRequest)
		}
		milliseconds, err := sleep(store, r)
		if err != nil {
			return err
		}
		sum := 0
		for range short {
			value, err := store.One(r.Context())
			if err != nil {
				return err
			}
			sum += value
		}
		return answerJSON(w, answer{milliseconds, sum})
	}
}

// sleep has the database sleep for as many milliseconds as the path says, and gives their number.
func sleep(store QueryStore, r *http.Request) (int, error) {
	milliseconds, err := strconv.Atoi(r.PathValue("milliseconds"))
	if err != nil || milliseconds < 1 || milliseconds > longestSleepMilliseconds {
		return 0, status(http.StatusBadRequest)
	}
	return milliseconds, store.Sleep(r.Context(), time.Duration(milliseconds)*time.Millisecond)
}
