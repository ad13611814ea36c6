// Package lazy holds what is read once, when it is first needed.
package lazy

import (
	"context"
	"sync"
	"sync/atomic"
)

// Value is loaded by the first Get. Unlike with sync.Once, an error is not kept: the next Get tries again.
type Value[T any] struct {
	mu     sync.Mutex
	loaded atomic.Pointer[T]
}

// Get gives the value, and calls load if there is none yet. Others wait while one loads.
func (v *Value[T]) Get(ctx context.Context, load func(context.Context) (T, error)) (T, error) {
	if value := v.loaded.Load(); value != nil {
		return *value, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if value := v.loaded.Load(); value != nil {
		return *value, nil
	}
	value, err := load(ctx)
	if err == nil {
		v.loaded.Store(&value)
	}
	return value, err
}
