//go:build !only || redis

package main

import (
	"net/url"

	"fairtrial/go-nethttp/api"
	"fairtrial/go-nethttp/keyvalue"
)

func init() {
	caches["redis"] = func(address *url.URL, connections int) (api.Cache, error) {
		return keyvalue.OpenRedis(address.String(), connections)
	}
}
