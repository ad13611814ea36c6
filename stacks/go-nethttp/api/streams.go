package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	mostEvents               = 1_000
	longestPauseMilliseconds = 10_000
	// Of each event: a stream as a whole may last longer than the server's limit for answers.
	eventTimeout = 60 * time.Second
)

// stream sends so many events, with a pause before each but the first. It ends when the client goes away.
func stream(w http.ResponseWriter, r *http.Request) error {
	type event struct {
		Number int    `json:"number"`
		Text   string `json:"text"`
	}
	events, err := strconv.Atoi(r.PathValue("events"))
	if err != nil || events < 1 || events > mostEvents {
		return status(http.StatusBadRequest)
	}
	milliseconds, err := strconv.Atoi(r.PathValue("milliseconds"))
	if err != nil || milliseconds < 1 || milliseconds > longestPauseMilliseconds {
		return status(http.StatusBadRequest)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	control := http.NewResponseController(w)
	for number := range events {
		if number > 0 {
			select {
			case <-time.After(time.Duration(milliseconds) * time.Millisecond):
			case <-r.Context().Done():
				return nil
			}
		}
		data, err := json.Marshal(event{number, "Hello, World!"})
		if err != nil {
			return err
		}
		control.SetWriteDeadline(time.Now().Add(eventTimeout))
		fmt.Fprintf(w, "id: %d\ndata: %s\n\n", number, data)
		if control.Flush() != nil {
			return nil // the client went away
		}
	}
	io.WriteString(w, "data: [DONE]\n\n")
	return nil
}
