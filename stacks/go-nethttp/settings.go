package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
)

type settings struct {
	address     string
	databaseURL string
	workers     int // 0: left to the runtime
	dbPool      int
}

// settingsFromEnvironment reads the environment, with the defaults for what it does not say.
func settingsFromEnvironment() (settings, error) {
	port, err := integer("PORT", 8080, 0)
	if err != nil {
		return settings{}, err
	}
	workers, err := integer("WEB_CONCURRENCY", 0, 1)
	if err != nil {
		return settings{}, err
	}
	dbPool, err := integer("DB_POOL", 16, 1)
	if err != nil {
		return settings{}, err
	}
	return settings{
		address:     net.JoinHostPort(text("HOST", "127.0.0.1"), strconv.Itoa(port)),
		databaseURL: text("DATABASE_URL", ""),
		workers:     workers,
		dbPool:      dbPool,
	}, nil
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
