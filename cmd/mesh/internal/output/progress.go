package output

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows on a terminal that a command waits for an answer, or how far it has read. The zero value shows nothing.
type Progress struct {
	// W is the terminal, or nil.
	W io.Writer

	mu      sync.Mutex
	timer   *time.Timer
	reading *reading // nil while the command waits
	shown   string
}

// progressDelay is how long a command may take before it shows that it works, and progressInterval the time between two texts.
const (
	progressDelay    = time.Second
	progressInterval = 200 * time.Millisecond
)

// Start shows in a second that the command waits, unless Stop is called before. It replaces the text of Reading.
func (p *Progress) Start() { p.start(nil) }

// Waiting is Start with a text of its own, which it calls for again and again.
func (p *Progress) Waiting(text func() string) { p.start(&reading{waiting: text}) }

// Reading shows in a second what is read and how much of it, unless Stop is called before. It replaces the text of Start. size returns the
// bytes that there are in all, and is called once, when it is needed; without one they are not known. read returns those that were read so far.
func (p *Progress) Reading(what string, size, read func() int64) {
	p.start(&reading{what: what, size: size, read: read, begin: time.Now()})
}

func (p *Progress) start(r *reading) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.W == nil {
		return
	}
	p.reading = r
	if p.timer != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(progressDelay, func() {
		p.mu.Lock()
		r := p.reading
		p.mu.Unlock()
		text := r.text() // not under the lock, on which Stop would wait: sizes of many files take their time
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer != timer {
			return
		}
		if p.reading == r {
			p.show(Cut(text, Width(p.W)))
		}
		timer.Reset(progressInterval)
	})
	p.timer = timer
}

const clearLine = "\r\x1b[K"

func (p *Progress) show(text string) {
	if text == p.shown {
		return
	}
	if p.shown != "" {
		fmt.Fprint(p.W, clearLine+text)
	} else {
		fmt.Fprint(p.W, text)
	}
	p.shown = text
}

// Stop removes the line. It is called before anything else is printed.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		return
	}
	p.timer.Stop()
	p.show("")
	p.timer, p.reading = nil, nil
}

// reading is what a command reads or waits for. Only one goroutine uses it.
type reading struct {
	waiting func() string // the whole text, or nil

	what       string
	size, read func() int64
	begin      time.Time
	total      int64 // 0 if it is not known
}

// text returns the line, such as "reading calls: 43 %, 1.2 of 2.8 GB, 310 MB/s". It is empty if there is nothing to show yet, since a
// program that writes to stdin may still ask for a password.
func (r *reading) text() string {
	if r == nil {
		return "waiting for a response …"
	}
	if r.waiting != nil {
		return r.waiting()
	}
	if r.size != nil {
		r.total, r.size = r.size(), nil
	}
	read, elapsed := r.read(), time.Since(r.begin)
	text := r.what + ": "
	switch {
	case r.total > 0 && read <= r.total: // files may have grown
		unit := unitOf(r.total)
		text += fmt.Sprintf("%d %%, %s of %s %s", read*100/r.total, unit.amount(read), unit.amount(r.total), unit.name)
	case read == 0:
		return ""
	default:
		unit := unitOf(read)
		text += unit.amount(read) + " " + unit.name
	}
	if read == 0 || elapsed <= 0 {
		return text
	}
	rate := int64(float64(read) / elapsed.Seconds())
	unit := unitOf(rate)
	return text + ", " + unit.amount(rate) + " " + unit.name + "/s"
}

type byteUnit struct {
	name     string
	bytes    float64
	decimals int
}

// unitOf returns the unit in which a number of bytes is written.
func unitOf(n int64) byteUnit {
	for _, unit := range []byteUnit{{"TB", 1e12, 1}, {"GB", 1e9, 1}, {"MB", 1e6, 0}} {
		if float64(n) >= unit.bytes {
			return unit
		}
	}
	return byteUnit{"kB", 1e3, 0}
}

// Bytes returns a number of bytes in its largest decimal unit.
func Bytes(n int64) string {
	unit := unitOf(n)
	if float64(n) < unit.bytes {
		unit = byteUnit{"B", 1, 0}
	}
	return unit.amount(n) + " " + unit.name
}

func (u byteUnit) amount(n int64) string { return fmt.Sprintf("%.*f", u.decimals, float64(n)/u.bytes) }
