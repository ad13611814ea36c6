package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"strconv"

	"fairtrial/go-nethttp/model"
)

// handler answers a request, or says why it cannot; then nothing has been written.
type handler func(http.ResponseWriter, *http.Request) error

// status is an answer without more to say than its status.
type status int

func (s status) Error() string { return http.StatusText(int(s)) }

// failure is an answer of this status whose reason belongs in the log.
type failure struct {
	status int
	error
}

func (f failure) Unwrap() error { return f.error }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h(w, r)
	if err == nil {
		return
	}
	var plain status
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &plain):
		answerStatus(w, int(plain))
	case errors.As(err, &tooLong):
		answerStatus(w, http.StatusRequestEntityTooLarge)
	case errors.Is(err, model.ErrNone):
		answerStatus(w, http.StatusNotFound)
	case errors.Is(err, model.ErrRefused):
		answerStatus(w, http.StatusBadRequest)
	case errors.Is(r.Context().Err(), context.Canceled):
		// The client went away: nobody reads an answer.
	default:
		failed := failure{status: http.StatusInternalServerError}
		errors.As(err, &failed)
		log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		answerStatus(w, failed.status)
	}
}

func answerStatus(w http.ResponseWriter, code int) {
	http.Error(w, http.StatusText(code), code)
}

// answerJSON answers compact JSON, without escapes for HTML and without a line end.
func answerJSON(w http.ResponseWriter, value any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	body.Truncate(body.Len() - 1)
	return answerText(w, "application/json", body.String())
}

// answerText answers 200. An error of writing is not one of the request: the client went away.
func answerText(w http.ResponseWriter, mediaType, body string) error {
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	io.WriteString(w, body)
	return nil
}
