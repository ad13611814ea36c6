//go:build !only || mariadb

package main

import (
	"net/url"

	"fairtrial/go-nethttp/api"
	"fairtrial/go-nethttp/mysql"
)

func init() {
	databases["mysql"] = func(address *url.URL, connections int) (api.Service, error) {
		return mysql.Open(address, connections)
	}
}
