package callsfiles

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// copies are temporary files. With untilSignal, signals that end the process remove them
// first, except for SIGKILL.
type copies struct {
	untilSignal bool

	mu    sync.Mutex
	names []string
	ended chan os.Signal
}

// add copies stdin or a pipe, and returns the copy's name.
func (c *copies) add(stdin io.Reader, path string) (string, error) {
	if path != "-" {
		pipe, err := os.Open(path) //nolint:gosec // the user names the pipe
		if err != nil {
			return "", err
		}
		defer pipe.Close()
		stdin = pipe
	}
	file, err := c.create()
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, stdin)
	return file.Name(), errors.Join(err, file.Close())
}

func (c *copies) create() (*os.File, error) {
	c.mu.Lock() // a signal must wait for the name
	defer c.mu.Unlock()
	if c.untilSignal && c.ended == nil {
		c.ended = make(chan os.Signal, 1)
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGPIPE} {
			if !signal.Ignored(s) { // nohup
				signal.Notify(c.ended, s)
			}
		}
		go c.removeAtSignal(c.ended)
	}
	file, err := os.CreateTemp("", "mesh-calls-*.jsonl")
	if err == nil {
		c.names = append(c.names, file.Name())
	}
	return file, err
}

// removeAtSignal ends the process as the signal would have.
func (c *copies) removeAtSignal(ended <-chan os.Signal) {
	s, open := <-ended
	if !open {
		return
	}
	c.mu.Lock() // forever: no further copies
	c.remove()
	signal.Reset(s)
	const shell = 128
	if s == syscall.SIGPIPE { // the runtime ignores it unless a write raises it
		os.Exit(shell + int(syscall.SIGPIPE))
	}
	process, err := os.FindProcess(os.Getpid())
	if err != nil || process.Signal(s) != nil { // Windows
		os.Exit(shell + int(syscall.SIGINT))
	}
}

func (c *copies) remove() {
	for _, name := range c.names {
		_ = os.Remove(name)
	}
	c.names = nil
}

func (c *copies) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove()
	if c.ended != nil {
		signal.Stop(c.ended)
		close(c.ended)
		c.ended = nil
	}
}
