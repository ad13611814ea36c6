//go:build !only || memcached

package main

import (
	"net/url"

	"fairtrial/go-nethttp/api"
	"fairtrial/go-nethttp/keyvalue"
)

func init() {
	caches["memcached"] = func(address *url.URL, connections int) (api.Cache, error) {
		return keyvalue.OpenMemcached(address, connections)
	}
}
