package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows on a terminal that the command waits for an answer. The zero value shows nothing.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	timer *time.Timer
	shown bool
}

// progressDelay is how long a command may take before it shows that it waits.
const progressDelay = time.Second

// start shows the line in a second, unless stop is called before.
func (p *progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || p.timer != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(progressDelay, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer == timer {
			p.shown = true
			fmt.Fprint(p.w, "waiting for an answer …")
		}
	})
	p.timer = timer
}

// stop removes the line. It is called before anything else is printed.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		return
	}
	p.timer.Stop()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.timer, p.shown = nil, false
}
