//go:build !only || sqlite

package main

import (
	"net/url"

	"fairtrial/go-nethttp/api"
	"fairtrial/go-nethttp/sqlite"
)

func init() {
	databases["sqlite"] = func(address *url.URL, connections int) (api.Service, error) {
		return sqlite.Open(address, connections)
	}
}
