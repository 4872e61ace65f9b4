// Package backlog holds the messages that wait for a worker. Their senders take turns.
package backlog

import (
	"context"
	"sync"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

const (
	// MaxBytes bounds what waits in memory.
	MaxBytes = 32 << 20
	// messageBytes is for a message's goroutine and its other fields.
	messageBytes = 32 << 10
)

// Size returns the bytes that a waiting message takes.
func Size(m gateway.MeshMessage) int64 {
	n := messageBytes + len(m.GetContent())
	for name, value := range m.AdditionalProperties {
		n += len(name) + len(value)
	}
	return int64(n)
}

// Backlog may be used concurrently. The zero value is empty.
type Backlog struct {
	mu      sync.Mutex
	turns   []string // the senders with messages, the next one first
	waiting map[string][]gateway.MeshMessage
	bytes   int64
	changed chan struct{} // closed by the next change; nil if no goroutine waits for it
}

// State is a condition to wait for.
type State func(bytes int64) bool

// The states.
var (
	Filled  State = func(bytes int64) bool { return bytes > 0 }
	Empty   State = func(bytes int64) bool { return bytes == 0 }
	HasRoom State = func(bytes int64) bool { return bytes < MaxBytes }
)

// Add adds one poll's messages together, since their senders take turns as well.
func (b *Backlog) Add(messages []gateway.MeshMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(map[string][]gateway.MeshMessage)
	}
	for _, m := range messages {
		if len(b.waiting[m.FromNode]) == 0 {
			b.turns = append(b.turns, m.FromNode)
		}
		b.waiting[m.FromNode] = append(b.waiting[m.FromNode], m)
		b.change(Size(m))
	}
}

// Next removes the message whose turn it is. There must be one.
func (b *Backlog) Next() gateway.MeshMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	sender := b.turns[0]
	m, rest := b.waiting[sender][0], b.waiting[sender][1:]
	b.turns, b.waiting[sender] = b.turns[1:], rest
	if len(rest) > 0 {
		b.turns = append(b.turns, sender)
	} else {
		delete(b.waiting, sender)
	}
	b.change(-Size(m))
	return m
}

// change is called with mu held.
func (b *Backlog) change(bytes int64) {
	b.bytes += bytes
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// Is reports whether the backlog is in a state now.
func (b *Backlog) Is(state State) bool { return b.awaited(state) == nil }

// Await waits until the backlog is in a state. It returns false if ctx ends first.
func (b *Backlog) Await(ctx context.Context, state State) bool {
	for ctx.Err() == nil {
		changed := b.awaited(state)
		if changed == nil {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return false
}

// awaited returns a channel that the next change closes, or nil if there is nothing to
// wait for.
func (b *Backlog) awaited(state State) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if state(b.bytes) {
		return nil
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}
