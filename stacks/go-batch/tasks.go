package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
)

// runTasks makes goroutines that all exist at once. Each says that it is there, and waits until it may end.
func runTasks(context.Context) error {
	told, err := numbers("TASKS")
	if err != nil {
		return err
	}
	gathering, err := net.Dial("unix", os.Getenv("GATHERING"))
	if err != nil {
		return err
	}
	defer gathering.Close()
	var group sync.WaitGroup
	mayEnd := make(chan struct{})
	for range told[0] {
		group.Go(func() {
			gathering.Write([]byte{'.'}) // who did not get through is missed: the gathering goes on without end
			<-mayEnd
		})
	}
	var word [1]byte
	_, err = gathering.Read(word[:])
	close(mayEnd)
	group.Wait()
	if err != nil {
		return fmt.Errorf("the gathering ended before all were there: %w", err)
	}
	return nil
}
