package api

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const upstreamTimeout = 10 * time.Second

// fanOut calls the upstream over a pool of its own: the default transport keeps two idle connections to a host.
func fanOut(address string, connections int) handler {
	if address == "" {
		return unavailable
	}
	type answer struct {
		Status int   `json:"status"`
		Bytes  int64 `json:"bytes"`
	}
	client := &http.Client{
		Timeout: upstreamTimeout,
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: upstreamTimeout}).DialContext,
			MaxConnsPerHost:     connections,
			MaxIdleConns:        connections,
			MaxIdleConnsPerHost: connections,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true, // the length asked for is that of the body as it was sent
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	call := func(r *http.Request) (answer, error) {
		request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, address, nil)
		if err != nil {
			return answer{}, err
		}
		response, err := client.Do(request)
		if err != nil {
			return answer{}, err
		}
		defer response.Body.Close()
		// Read to the end, or the connection cannot be used again.
		length, err := io.Copy(io.Discard, response.Body)
		return answer{response.StatusCode, length}, err
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		answered, err := call(r)
		if err != nil {
			return failure{http.StatusBadGateway, fmt.Errorf("upstream: %w", err)}
		}
		return answerJSON(w, answered)
	}
}
