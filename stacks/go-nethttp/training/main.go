// Command training has the server take the profile with which it is then compiled again.
//
//	training SERVER PROFILE
//
// It starts SERVER, asks it for /plaintext as often as a profile needs, and ends it; SERVER writes PROFILE. The number of
// requests is fixed, not the time, so that a machine that is busy meanwhile leaves as good a profile. It sends and reads
// with little more than the system calls, since the server has the machine to share with it.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	connections = 16
	requests    = 400_000 // the profile has a sample in each 10 ms: many hundred of them
	patience    = 10 * time.Second
	request     = "GET /plaintext HTTP/1.1\r\nHost: training\r\n\r\n"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: training SERVER PROFILE")
		os.Exit(2)
	}
	if err := train(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "training:", err)
		os.Exit(1)
	}
}

func train(program, profile string) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	server := exec.Command(program)
	server.Env = []string{"HOST=" + host, "PORT=" + port, "CPU_PROFILE=" + profile}
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return err
	}
	loaded := load(address)
	return errors.Join(loaded, server.Process.Signal(syscall.SIGTERM), server.Wait())
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// load waits until the server listens, and sends all requests, over some connections side by side.
func load(address string) error {
	first, err := connect(address)
	if err != nil {
		return err
	}
	first.Close()

	failures := make([]error, connections)
	var group sync.WaitGroup
	for i := range failures {
		group.Go(func() { failures[i] = ask(address, requests/connections) })
	}
	group.Wait()
	return errors.Join(failures...)
}

func connect(address string) (net.Conn, error) {
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err == nil || time.Now().After(deadline) {
			return connection, err
		}
	}
}

// ask sends so many requests one after another. All answers are as long as the first, which is looked at.
func ask(address string, times int) error {
	connection, err := connect(address)
	if err != nil {
		return err
	}
	defer connection.Close()

	length, err := firstAnswer(connection)
	if err != nil {
		return err
	}
	answer := make([]byte, length)
	for range times - 1 {
		if _, err := io.WriteString(connection, request); err != nil {
			return err
		}
		if _, err := io.ReadFull(connection, answer); err != nil {
			return err
		}
	}
	return nil
}

// firstAnswer sends a request and returns the length of its answer, head and body.
func firstAnswer(connection net.Conn) (int, error) {
	if _, err := io.WriteString(connection, request); err != nil {
		return 0, err
	}
	counted := &counter{Reader: connection}
	answer, err := http.ReadResponse(bufio.NewReader(counted), nil)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0, err
	}
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("GET /plaintext: %s", answer.Status)
	}
	return counted.bytes, nil
}

type counter struct {
	io.Reader
	bytes int
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.Reader.Read(into)
	c.bytes += n
	return n, err
}
