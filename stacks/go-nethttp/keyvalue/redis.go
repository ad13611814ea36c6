//go:build !only || redis

// Package keyvalue is Redis and memcached: a store of links, or a cache.
package keyvalue

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"fairtrial/go-nethttp/model"
)

// Redis is a pool of connections.
type Redis struct{ client *redis.Client }

// OpenRedis takes redis://:PASSWORD@HOST:PORT/0.
func OpenRedis(address string, connections int) (*Redis, error) {
	config, err := redis.ParseURL(address)
	if err != nil {
		return nil, errors.New("it must be redis://:PASSWORD@HOST:PORT/0")
	}
	config.PoolSize = connections
	config.MaxActiveConns = connections // without it the pool opens more than PoolSize when it is short of them
	config.ContextTimeoutEnabled = true
	return &Redis{redis.NewClient(config)}, nil
}

// Ping says whether Redis is there.
func (r *Redis) Ping(ctx context.Context) error { return r.client.Ping(ctx).Err() }

// Close closes the pool.
func (r *Redis) Close() error { return r.client.Close() }

// Get reads a key.
func (r *Redis) Get(ctx context.Context, key string) (string, error) {
	value, err := r.client.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return "", model.ErrNone
	}
	return value, err
}

// Set writes a key that is kept for `life`.
func (r *Redis) Set(ctx context.Context, key, value string, life time.Duration) error {
	return r.client.Set(ctx, key, value, life).Err()
}
