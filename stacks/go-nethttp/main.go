// Command server is the stack go-nethttp: Go's standard HTTP server, with the drivers of its community.
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
	"runtime/pprof"
	"syscall"
	"time"

	"fairtrial/go-nethttp/api"
)

const (
	drainTimeout      = 3 * time.Second
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	// Above the longest query that may be asked for (10 s), and a wait for a connection before it.
	writeTimeout   = 60 * time.Second
	idleTimeout    = 65 * time.Second
	maxHeaderBytes = 64 << 10
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

	services := api.Services{
		UpstreamURL:  settings.upstreamURL,
		UpstreamPool: settings.upstreamPool,
		BatchSize:    settings.batchSize,
		Selects:      settings.selects,
	}
	if settings.databaseURL != "" {
		if services.Database, err = openDatabase(settings.databaseURL, settings.dbPool); err != nil {
			return fmt.Errorf("DATABASE_URL: %w", err)
		}
		defer services.Database.Close()
	}
	if settings.cacheURL != "" {
		if services.Cache, err = openCache(settings.cacheURL, settings.dbPool); err != nil {
			return fmt.Errorf("CACHE_URL: %w", err)
		}
		defer services.Cache.Close()
	}

	listener, err := net.Listen("tcp", settings.address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           api.Routes(services),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	if settings.http2 {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	return profiled(settings.cpuProfile, func() error { return serve(ctx, server, listener) })
}

// profiled calls work, and writes a profile of the processor's time in it to a file, if there is one.
func profiled(file string, work func() error) error {
	if file == "" {
		return work()
	}
	profile, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("CPU_PROFILE: %w", err)
	}
	if err := pprof.StartCPUProfile(profile); err != nil {
		return errors.Join(err, profile.Close())
	}
	err = work()
	pprof.StopCPUProfile()
	return errors.Join(err, profile.Close())
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
