//go:build !only || postgresql

package main

import (
	"net/url"

	"fairtrial/go-nethttp/api"
	"fairtrial/go-nethttp/postgres"
)

func init() {
	databases["postgresql"] = func(address *url.URL, connections int) (api.Service, error) {
		return postgres.Open(address.String(), connections)
	}
}
