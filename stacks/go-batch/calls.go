package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const callWithin = 30 * time.Second

// runCalls makes calls to a server, shared out over as many goroutines as may wait at once.
func runCalls(ctx context.Context) error {
	told, err := numbers("CALLS", "CONCURRENCY")
	if err != nil {
		return err
	}
	calls, concurrency := told[0], told[1]
	client := &http.Client{
		Timeout:   callWithin,
		Transport: &http.Transport{MaxConnsPerHost: concurrency, MaxIdleConnsPerHost: concurrency},
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return shareOut(concurrency, times(ctx, calls, os.Getenv("UPSTREAM_URL")), func(url string) error {
		return call(ctx, client, url)
	})
}

func call(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return nil
}
