package api

import (
	"context"
	"net/http"

	"fairtrial/go-nethttp/model"
)

// ItemStore reads the table items. ItemByUUID gives model.ErrNone where there is none.
type ItemStore interface {
	RandomItem(ctx context.Context) (model.Item, error)
	ItemByUUID(ctx context.Context, uuid string) (model.Item, error)
}

func randomItem(store ItemStore) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		item, err := store.RandomItem(r.Context())
		if err != nil {
			return err
		}
		return answerJSON(w, item)
	}
}

func itemByUUID(store ItemStore) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		item, err := store.ItemByUUID(r.Context(), r.PathValue("uuid"))
		if err != nil {
			return err
		}
		return answerJSON(w, item)
	}
}
