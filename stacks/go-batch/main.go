// Command batch does the job that the environment names, and ends.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
)

var jobs = map[string]func(context.Context) error{
	"query-batch":       runQueries,
	"transaction-batch": runUnits,
	"call-batch":        runCalls,
	"task-creation":     runTasks,
	"task-switching":    runSwitches,
}

func main() {
	log.SetFlags(0)
	job, known := jobs[os.Getenv("JOB")]
	if !known {
		log.Fatalf("there is no job %q", os.Getenv("JOB"))
	}
	if err := job(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// numbers reads variables of the environment.
func numbers(names ...string) ([]int, error) {
	found := make([]int, len(names))
	for place, name := range names {
		number, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found[place] = number
	}
	return found, nil
}

// shareOut runs the items in so many goroutines, and gives the first error once all have ended.
func shareOut[Item any](goroutines int, items <-chan Item, run func(Item) error) error {
	var group sync.WaitGroup
	errs := make(chan error, goroutines)
	for range goroutines {
		group.Go(func() {
			for item := range items {
				if err := run(item); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}

// times gives the same item again and again, or until nobody takes it any more.
func times[Item any](ctx context.Context, count int, item Item) <-chan Item {
	items := make(chan Item)
	go func() {
		defer close(items)
		for range count {
			select {
			case items <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	return items
}
