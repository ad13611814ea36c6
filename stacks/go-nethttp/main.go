// Command server is the stack go-nethttp: Go's standard HTTP server with database/sql.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

const (
	drainTimeout      = 3 * time.Second
	idleTimeout       = 65 * time.Second
	readHeaderTimeout = 10 * time.Second
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "go-nethttp:", err)
		os.Exit(1)
	}
}

func run() error {
	settings, err := settingsFromEnvironment()
	if err != nil {
		return err
	}
	if settings.workers > 0 {
		runtime.GOMAXPROCS(settings.workers)
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	store, err := openStore(ctx, settings.databaseURL, settings.dbPool)
	if err != nil {
		return err
	}
	defer store.Close()

	listener, err := net.Listen("tcp", settings.address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           routes(store),
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
	}
	return serve(ctx, server, listener)
}

// serve ends without an error once ctx is done and the open requests are answered, or drainTimeout is over.
func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := server.Shutdown(draining); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	} else {
		return err
	}
}
