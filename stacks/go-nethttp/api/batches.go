package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"fairtrial/go-nethttp/model"
)

const (
	longestWait  = 5 * time.Millisecond
	flushTimeout = 30 * time.Second
)

// batcher inserts surveys together: as soon as there are `size` of them, or the first has waited for longestWait.
type batcher struct {
	store SurveyStore
	size  int

	mu      sync.Mutex
	current *batch // nil: nobody waits
}

// batch is written once, by whoever took it out of batcher.current.
type batch struct {
	surveys []model.Survey
	timer   *time.Timer
	written chan struct{} // closed when errs is there
	errs    []error       // nil: all are committed; else one for each survey
}

// insert returns once the survey's batch is committed, with the error of this survey alone.
func (b *batcher) insert(ctx context.Context, survey model.Survey) error {
	mine, place, full := b.join(survey)
	if full {
		mine.timer.Stop()
		b.write(mine)
	}
	select {
	case <-mine.written:
	case <-ctx.Done():
		return ctx.Err()
	}
	if mine.errs == nil {
		return nil
	}
	return mine.errs[place]
}

// join adds a survey to the current batch. If that is full with it, the caller has to write it.
func (b *batcher) join(survey model.Survey) (joined *batch, place int, full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	joined = b.current
	if joined == nil {
		joined = &batch{surveys: make([]model.Survey, 0, b.size), written: make(chan struct{})}
		joined.timer = time.AfterFunc(longestWait, func() { b.writeOverdue(joined) })
		b.current = joined
	}
	joined.surveys = append(joined.surveys, survey)
	if full = len(joined.surveys) == b.size; full {
		b.current = nil
	}
	return joined, len(joined.surveys) - 1, full
}

func (b *batcher) writeOverdue(overdue *batch) {
	b.mu.Lock()
	mine := b.current == overdue
	if mine {
		b.current = nil
	}
	b.mu.Unlock()
	if mine {
		b.write(overdue)
	}
}

// write has a time limit of its own: a client that goes away takes nobody else's survey along.
func (b *batcher) write(full *batch) {
	defer close(full.written)
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()

	err := b.store.InsertSurveys(ctx, full.surveys)
	if err == nil {
		return
	}
	full.errs = make([]error, len(full.surveys))
	for place, survey := range full.surveys {
		full.errs[place] = err
		if errors.Is(err, model.ErrRefused) {
			// Nothing is stored, for the fault of one of them: that one alone has to fail.
			full.errs[place] = b.store.InsertSurvey(ctx, survey)
		}
	}
}
