package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

const mostSelects = 100

// SelectStore reads the names of items by their ids, in three ways. Where an item is missing, the first two give
// model.ErrNone, and the last leaves it out.
type SelectStore interface {
	// ItemName is one select.
	ItemName(ctx context.Context, id int64) (string, error)
	// ItemNames is as many selects as ids, sent in one round trip.
	ItemNames(ctx context.Context, ids []int64) ([]string, error)
	// ItemNamesByID is one select for all ids.
	ItemNamesByID(ctx context.Context, ids []int64) (map[int64]string, error)
}

// The ways in which a request's selects are sent, by the names that the setting SELECTS has for them.
const (
	OneAtATime = "one-at-a-time"
	Pipelined  = "pipelined"
	Coalesced  = "coalesced"
)

// severalItems answers the items that the path names.
func severalItems(way string) func(SelectStore) handler {
	type answer struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	return func(store SelectStore) handler {
		names := namesOneAtATime(store)
		switch way {
		case Pipelined:
			names = store.ItemNames
		case Coalesced:
			names = (&coalescer{store: store}).names
		}
		return func(w http.ResponseWriter, r *http.Request) error {
			ids, err := idsIn(r.PathValue("ids"))
			if err != nil {
				return status(http.StatusBadRequest)
			}
			found, err := names(r.Context(), ids)
			if err != nil {
				return err
			}
			items := make([]answer, len(ids))
			for place, id := range ids {
				items[place] = answer{id, found[place]}
			}
			return answerJSON(w, items)
		}
	}
}

func namesOneAtATime(store SelectStore) func(context.Context, []int64) ([]string, error) {
	return func(ctx context.Context, ids []int64) ([]string, error) {
		names := make([]string, len(ids))
		for place, id := range ids {
			name, err := store.ItemName(ctx, id)
			if err != nil {
				return nil, err
			}
			names[place] = name
		}
		return names, nil
	}
}

func idsIn(list string) ([]int64, error) {
	texts := strings.Split(list, ",")
	if len(texts) > mostSelects {
		return nil, strconv.ErrRange
	}
	ids := make([]int64, len(texts))
	for place, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		ids[place] = id
	}
	return ids, nil
}
