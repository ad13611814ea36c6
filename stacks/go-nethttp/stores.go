package main

import (
	"fmt"
	"net/url"

	"fairtrial/go-nethttp/api"
)

// What a service's URL is opened with, by its scheme. Each driver has a file of its own, with_*.go, that enters it here.
// `go build` compiles all of them; `go build -tags only,sqlite,redis` those named.
var (
	databases = map[string]func(address *url.URL, connections int) (api.Service, error){}
	caches    = map[string]func(address *url.URL, connections int) (api.Cache, error){}
)

// openDatabase connects nothing yet: the pools do that when they are first used. Errors do not quote the URL, which
// may hold a password.
func openDatabase(address string, connections int) (api.Service, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("not a URL")
	}
	if open, known := databases[parsed.Scheme]; known {
		return open(parsed, connections)
	}
	return openCache(address, connections)
}

// openCache opens a key-value store.
func openCache(address string, connections int) (api.Cache, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("not a URL")
	}
	if open, known := caches[parsed.Scheme]; known {
		return open(parsed, connections)
	}
	return nil, fmt.Errorf("nothing is known of %q, or it was not compiled in", parsed.Scheme)
}
