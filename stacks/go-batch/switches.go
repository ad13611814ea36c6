package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

// message is the token, with the steps that are left.
type message struct {
	token uint32
	left  int
}

// runSwitches makes goroutines in a ring that hand a token round, each by a channel of its own.
func runSwitches(context.Context) error {
	told, err := numbers("TASKS", "SWITCHES")
	if err != nil {
		return err
	}
	tasks, switches := told[0], told[1]
	gathering, err := net.Dial("unix", os.Getenv("GATHERING"))
	if err != nil {
		return err
	}
	defer gathering.Close()
	inboxes := make([]chan message, tasks)
	for number := range inboxes {
		inboxes[number] = make(chan message)
	}
	last := make(chan uint32)
	var group sync.WaitGroup
	for number, inbox := range inboxes {
		successor := inboxes[(number+1)%tasks]
		group.Go(func() {
			gathering.Write([]byte{'.'}) // who did not get through is missed: the gathering goes on without end
			for received := range inbox {
				token := (received.token^received.token>>15)*0x2C1B3C6D + uint32(number)
				if received.left == 1 {
					last <- token
				} else {
					successor <- message{token, received.left - 1}
				}
			}
		})
	}
	err = lead(gathering, func(first uint32) uint32 {
		inboxes[0] <- message{first, switches}
		return <-last
	})
	for _, inbox := range inboxes {
		close(inbox)
	}
	group.Wait()
	return err
}

// lead takes the first token from the barrier, gives back the last, and waits until the tasks may end.
func lead(gathering net.Conn, goRound func(first uint32) uint32) error {
	lines := bufio.NewReader(gathering)
	line, err := lines.ReadString('\n')
	if err != nil {
		return fmt.Errorf("the gathering ended before all were there: %w", err)
	}
	first, err := strconv.ParseUint(strings.TrimSuffix(line, "\n"), 10, 32)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(gathering, goRound(uint32(first))); err != nil {
		return err
	}
	_, err = lines.ReadString('\n')
	return err
}
