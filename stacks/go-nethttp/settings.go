package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"strconv"

	"fairtrial/go-nethttp/api"
)

type settings struct {
	address      string
	databaseURL  string // empty: no database
	cacheURL     string // empty: no cache
	upstreamURL  string // empty: no upstream
	workers      int    // 0: left to the runtime
	dbPool       int
	upstreamPool int
	batchSize    int
	selects      string
	http2        bool   // beside HTTP/1.1, with prior knowledge
	cpuProfile   string // the file that takes a profile of the processor's time; empty: none is taken
}

// settingsFromEnvironment reads the environment, with the defaults for what it does not say.
func settingsFromEnvironment() (settings, error) {
	var errs []error
	number := func(name string, fallback, minimum int) int {
		value, err := integer(name, fallback, minimum)
		errs = append(errs, err)
		return value
	}
	workers := number("WEB_CONCURRENCY", 0, 1)
	most := number("MAX_CONCURRENCY", math.MaxInt, 1)
	// Pools are given for one of WEB_CONCURRENCY processes, and this is one process on all processors.
	pool := func(name string) int { return min(number(name, 16, 1)*max(workers, 1), most) }
	http2 := text("HTTP2", "off")
	read := settings{
		address:      net.JoinHostPort(text("HOST", "127.0.0.1"), strconv.Itoa(number("PORT", 8080, 0))),
		databaseURL:  text("DATABASE_URL", ""),
		cacheURL:     text("CACHE_URL", ""),
		upstreamURL:  text("UPSTREAM_URL", ""),
		workers:      workers,
		dbPool:       pool("DB_POOL"),
		upstreamPool: pool("UPSTREAM_POOL"),
		batchSize:    number("BATCH_SIZE", 8, 1),
		selects:      text("SELECTS", api.OneAtATime),
		http2:        http2 == "on",
		cpuProfile:   text("CPU_PROFILE", ""),
	}
	switch read.selects {
	case api.OneAtATime, api.Pipelined, api.Coalesced:
	default:
		errs = append(errs, fmt.Errorf("SELECTS must not be %q", read.selects))
	}
	if http2 != "on" && http2 != "off" {
		errs = append(errs, fmt.Errorf("HTTP2 must be on or off, not %q", http2))
	}
	return read, errors.Join(errs...)
}

func text(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func integer(name string, fallback, minimum int) (int, error) {
	value := os.Getenv(name)
	if value == "" {
		return fallback, nil
	}
	number, err := strconv.Atoi(value)
	if err != nil || number < minimum {
		return 0, fmt.Errorf("%s must be a whole number from %d, not %q", name, minimum, value)
	}
	return number, nil
}
