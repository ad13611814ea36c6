package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
)

// routes is the HTTP surface. The ServeMux itself answers 404 for other paths and 405 for other methods.
func routes(s *store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("ok"))
	})
	mux.HandleFunc("GET /items/random", func(w http.ResponseWriter, r *http.Request) {
		i, err := s.randomItem(r.Context())
		answerItem(w, r, i, err)
	})
	mux.HandleFunc("GET /items/{uuid}", func(w http.ResponseWriter, r *http.Request) {
		i, err := s.itemByUUID(r.Context(), r.PathValue("uuid"))
		answerItem(w, r, i, err)
	})
	return mux
}

func answerItem(w http.ResponseWriter, r *http.Request, i item, err error) {
	switch {
	case errors.Is(err, errNoItem):
		http.NotFound(w, r)
	case errors.Is(err, context.Canceled):
		// The client went away: nobody reads an answer.
	case err != nil:
		log.Printf("%s: %v", r.URL.Path, err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.Encode(i)
	}
}
