package output

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows that a command waits, or how much it has read, on a terminal line. The
// zero value shows nothing.
type Progress struct {
	// W is the terminal, or nil.
	W io.Writer

	mu      sync.Mutex
	timer   *time.Timer
	reading *reading // nil while the command waits
	shown   string
}

// The line appears after progressDelay and changes every progressInterval.
const (
	progressDelay    = time.Second
	progressInterval = 200 * time.Millisecond
)

// Start shows, after a second, that the command is waiting for a response. Call Stop
// before printing.
func (p *Progress) Start() { p.start(nil) }

// Waiting is like [Progress.Start], but shows what text returns. It calls text for every
// update.
func (p *Progress) Waiting(text func() string) { p.start(&reading{waiting: text}) }

// Reading shows, after a second, how much the command has read. Call Stop before
// printing. size returns the total in bytes; it may be nil, and is called once, only if
// needed. read returns the bytes read so far.
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
		text := r.text() // without the lock, or Stop would wait: adding up file sizes can take long
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

// Stop removes the line. Call it before printing anything else.
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

// reading is used by one goroutine.
type reading struct {
	waiting func() string // the whole text, or nil

	what       string
	size, read func() int64
	begin      time.Time
	total      int64 // 0 if unknown
}

// text returns a line such as "reading calls: 43 %, 1.2 of 2.8 GB, 310 MB/s". Until
// there's data it's empty: the program that writes to stdin may be asking for a password.
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
		unit := unitFor(r.total)
		text += fmt.Sprintf("%d %%, %s of %s %s", read*100/r.total, unit.amount(read), unit.amount(r.total), unit.name)
	case read == 0:
		return ""
	default:
		unit := unitFor(read)
		text += unit.amount(read) + " " + unit.name
	}
	if read == 0 || elapsed <= 0 {
		return text
	}
	rate := int64(float64(read) / elapsed.Seconds())
	unit := unitFor(rate)
	return text + ", " + unit.amount(rate) + " " + unit.name + "/s"
}

type byteUnit struct {
	name     string
	bytes    float64
	decimals int
}

func unitFor(n int64) byteUnit {
	for _, unit := range []byteUnit{{"TB", 1e12, 1}, {"GB", 1e9, 1}, {"MB", 1e6, 0}} {
		if float64(n) >= unit.bytes {
			return unit
		}
	}
	return byteUnit{"kB", 1e3, 0}
}

// Bytes formats n in its largest decimal unit.
func Bytes(n int64) string {
	unit := unitFor(n)
	if float64(n) < unit.bytes {
		unit = byteUnit{"B", 1, 0}
	}
	return unit.amount(n) + " " + unit.name
}

func (u byteUnit) amount(n int64) string { return fmt.Sprintf("%.*f", u.decimals, float64(n)/u.bytes) }
