package api

import (
	"context"
	"net/http"

	"fairtrial/go-nethttp/model"
)

// UnitStore does a unit of work on one connection, one statement after the other, and gives the first count.
type UnitStore interface {
	RunUnit(ctx context.Context, unit model.Unit) (int64, error)
}

var units = map[string]model.Unit{
	"very-light": {Counts: 1},
	"light":      {Counts: 1, Inserts: 1},
	"moderate":   {Counts: 2, Inserts: 1, Transaction: model.RolledBack},
	"heavy":      {Counts: 3, Inserts: 1, Updates: 1, Transaction: model.Committed},
	"very-heavy": {Counts: 3, LabelCounts: 1, Inserts: 1, Updates: 2, Transaction: model.Committed},
}

func unit(store UnitStore) handler {
	type answer struct {
		Units int64 `json:"units"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		wanted, known := units[r.PathValue("weight")]
		if !known {
			return model.ErrNone
		}
		counted, err := store.RunUnit(r.Context(), wanted)
		if err != nil {
			return err
		}
		return answerJSON(w, answer{counted})
	}
}
