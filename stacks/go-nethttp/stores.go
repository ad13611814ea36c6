package main

import (
	"fmt"
	"net/url"

	"fairtrial/go-nethttp/api"
	"fairtrial/go-nethttp/keyvalue"
	"fairtrial/go-nethttp/mongodb"
	"fairtrial/go-nethttp/mysql"
	"fairtrial/go-nethttp/postgres"
	"fairtrial/go-nethttp/sqlite"
)

// openDatabase connects nothing yet: the pools do that when they are first used. Errors do not quote the URL, which
// may hold a password.
func openDatabase(address string, connections int) (api.Service, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("not a URL")
	}
	switch parsed.Scheme {
	case "sqlite":
		return sqlite.Open(parsed, connections)
	case "postgresql":
		return postgres.Open(address, connections)
	case "mysql":
		return mysql.Open(parsed, connections)
	case "mongodb":
		return mongodb.Open(parsed, connections)
	default:
		return openCache(address, connections)
	}
}

// openCache opens a key-value store.
func openCache(address string, connections int) (api.Cache, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("not a URL")
	}
	switch parsed.Scheme {
	case "redis":
		return keyvalue.OpenRedis(address, connections)
	case "memcached":
		return keyvalue.OpenMemcached(parsed, connections)
	default:
		return nil, fmt.Errorf("nothing is known of %q", parsed.Scheme)
	}
}
