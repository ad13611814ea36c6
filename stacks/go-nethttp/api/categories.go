package api

import (
	"context"
	"net/http"

	"fairtrial/go-nethttp/model"
)

// CategoryStore reads the table categories, in the order of id.
type CategoryStore interface {
	Categories(ctx context.Context) ([]model.Category, error)
}

func categories(store CategoryStore) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		all, err := store.Categories(r.Context())
		if err != nil {
			return err
		}
		return answerJSON(w, all)
	}
}
