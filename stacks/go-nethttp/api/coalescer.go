package api

import (
	"context"
	"sync"
	"time"

	"fairtrial/go-nethttp/model"
)

const selectTimeout = 30 * time.Second

// coalescer groups the selects of all requests. One statement is under way at a time; selects that come meanwhile wait,
// and all that wait go together in the next. No timer delays anything: a select that comes alone goes at once.
type coalescer struct {
	store SelectStore

	mu      sync.Mutex
	waiting []*selection
	busy    bool // a goroutine sends what is waiting
}

// selection is the selects of one request.
type selection struct {
	ids      []int64
	names    []string
	err      error
	answered chan struct{} // closed when names or err is there
}

// names gives the names of these items, in their order.
func (c *coalescer) names(ctx context.Context, ids []int64) ([]string, error) {
	mine := &selection{ids: ids, answered: make(chan struct{})}
	c.mu.Lock()
	c.waiting = append(c.waiting, mine)
	if !c.busy {
		c.busy = true
		go c.sendWaiting()
	}
	c.mu.Unlock()
	select {
	case <-mine.answered:
		return mine.names, mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sendWaiting ends when nothing is waiting any more.
func (c *coalescer) sendWaiting() {
	for {
		c.mu.Lock()
		together := c.waiting
		c.waiting = nil
		c.busy = len(together) > 0
		c.mu.Unlock()
		if len(together) == 0 {
			return
		}
		c.send(together)
	}
}

// send has a time limit of its own: a client that goes away takes nobody else's selects along.
func (c *coalescer) send(together []*selection) {
	ctx, cancel := context.WithTimeout(context.Background(), selectTimeout)
	defer cancel()
	var ids []int64
	for _, selection := range together {
		ids = append(ids, selection.ids...)
	}
	found, err := c.store.ItemNamesByID(ctx, ids)
	for _, selection := range together {
		selection.names, selection.err = namesOf(selection.ids, found, err)
		close(selection.answered)
	}
}

// namesOf takes one request's names out of all that were found.
func namesOf(ids []int64, found map[int64]string, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	names := make([]string, len(ids))
	for place, id := range ids {
		name, is := found[id]
		if !is {
			return nil, model.ErrNone
		}
		names[place] = name
	}
	return names, nil
}
