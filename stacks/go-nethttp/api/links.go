package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"fairtrial/go-nethttp/model"
)

const elsewhere = "https://example.com/"

// LinkStore looks keys up; model.ErrNone where there is none.
type LinkStore interface {
	Get(ctx context.Context, key string) (string, error)
}

func link(store LinkStore) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		key := r.PathValue("key")
		if _, err := strconv.ParseUint(key, 10, 63); err != nil {
			return redirect(w, elsewhere, http.StatusFound)
		}
		address, err := store.Get(r.Context(), "link:"+key)
		switch {
		case errors.Is(err, model.ErrNone):
			return redirect(w, elsewhere, http.StatusFound)
		case err != nil:
			return err
		default:
			return redirect(w, address, http.StatusMovedPermanently)
		}
	}
}

// redirect answers without the body that http.Redirect writes.
func redirect(w http.ResponseWriter, location string, code int) error {
	w.Header().Set("Location", location)
	w.WriteHeader(code)
	return nil
}
