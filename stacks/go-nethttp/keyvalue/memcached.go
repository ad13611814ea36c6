//go:build !only || memcached

package keyvalue

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"fairtrial/go-nethttp/model"
)

// The client's default of 500 ms is short for a server that shares its processors with the load.
const memcachedTimeout = 3 * time.Second

// Memcached is a client, and a slot for each connection that it may use at a time: it bounds only the idle ones.
type Memcached struct {
	client *memcache.Client
	slots  chan struct{}
}

// OpenMemcached takes memcached://HOST:PORT.
func OpenMemcached(address *url.URL, connections int) (*Memcached, error) {
	if address.Host == "" {
		return nil, errors.New("it must be memcached://HOST:PORT")
	}
	client := memcache.New(address.Host)
	client.Timeout = memcachedTimeout
	client.MaxIdleConns = connections
	return &Memcached{client, make(chan struct{}, connections)}, nil
}

// Ping says whether memcached is there.
func (m *Memcached) Ping(ctx context.Context) error { return m.within(ctx, m.client.Ping) }

// Close closes the idle connections.
func (m *Memcached) Close() error { return m.client.Close() }

// Get reads a key.
func (m *Memcached) Get(ctx context.Context, key string) (value string, err error) {
	err = m.within(ctx, func() error {
		found, err := m.client.Get(key)
		if err == nil {
			value = string(found.Value)
		}
		return err
	})
	if errors.Is(err, memcache.ErrCacheMiss) {
		return "", model.ErrNone
	}
	return value, err
}

// Set writes a key that is kept for `life`.
func (m *Memcached) Set(ctx context.Context, key, value string, life time.Duration) error {
	return m.within(ctx, func() error {
		return m.client.Set(&memcache.Item{Key: key, Value: []byte(value), Expiration: int32(life.Seconds())})
	})
}

func (m *Memcached) within(ctx context.Context, do func() error) error {
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-m.slots }()
	return do()
}
