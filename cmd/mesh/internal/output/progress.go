package output

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows on a terminal that a command waits for an answer. The zero value shows nothing.
type Progress struct {
	// W is the terminal, or nil.
	W io.Writer

	mu    sync.Mutex
	timer *time.Timer
	shown bool
}

// progressDelay is how long a command may take before it shows that it waits.
const progressDelay = time.Second

// Start shows the line in a second, unless Stop is called before.
func (p *Progress) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.W == nil || p.timer != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(progressDelay, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer == timer {
			p.shown = true
			fmt.Fprint(p.W, "waiting for a response …")
		}
	})
	p.timer = timer
}

// Stop removes the line. It is called before anything else is printed.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		return
	}
	p.timer.Stop()
	if p.shown {
		fmt.Fprint(p.W, "\r\x1b[K")
	}
	p.timer, p.shown = nil, false
}
