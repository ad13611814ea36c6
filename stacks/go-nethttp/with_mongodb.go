//go:build !only || mongodb

package main

import (
	"net/url"

	"fairtrial/go-nethttp/api"
	"fairtrial/go-nethttp/mongodb"
)

func init() {
	databases["mongodb"] = func(address *url.URL, connections int) (api.Service, error) {
		return mongodb.Open(address, connections)
	}
}
