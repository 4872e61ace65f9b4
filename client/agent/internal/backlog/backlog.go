// Package backlog queues messages for workers. Their senders take turns.
package backlog

import (
	"context"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

const (
	// MaxBytes bounds the waiting messages in memory.
	MaxBytes = 32 << 20
	// messageBytes is an allowance for a message's goroutine and other fields.
	messageBytes = 32 << 10
)

// Size estimates the bytes that a waiting message takes.
func Size(m gateway.MeshMessage) int64 {
	n := messageBytes + len(m.GetContent())
	for name, value := range m.AdditionalProperties {
		n += len(name) + len(value)
	}
	return int64(n)
}

// Backlog is a queue of messages. The zero value is empty. It may be used concurrently.
type Backlog struct {
	mu      sync.Mutex
	turns   [][]gateway.MeshMessage // each with one sender's messages, none empty
	bytes   int64
	changed chan struct{} // closed by the next change; nil if no goroutine waits for it
}

// State is a condition on the waiting bytes, for Is and Await.
type State func(bytes int64) bool

// States that agent.Serve waits for.
var (
	Filled  State = func(bytes int64) bool { return bytes > 0 }
	Empty   State = func(bytes int64) bool { return bytes == 0 }
	HasRoom State = func(bytes int64) bool { return bytes < MaxBytes }
)

// Add queues messages. Pass all messages from a poll at once, so that every sender is in
// line before a worker calls Next.
func (b *Backlog) Add(messages []gateway.MeshMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range messages {
		i := slices.IndexFunc(b.turns, func(turn []gateway.MeshMessage) bool { return turn[0].FromNode == m.FromNode })
		if i < 0 {
			i, b.turns = len(b.turns), append(b.turns, nil)
		}
		b.turns[i] = append(b.turns[i], m)
		b.change(Size(m))
	}
}

// Next removes and returns the next message. The backlog must not be empty.
func (b *Backlog) Next() gateway.MeshMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	turn := b.turns[0]
	b.turns = b.turns[1:]
	if len(turn) > 1 {
		b.turns = append(b.turns, turn[1:])
	}
	b.change(-Size(turn[0]))
	return turn[0]
}

// change is called with mu held.
func (b *Backlog) change(bytes int64) {
	b.bytes += bytes
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// Is reports whether state holds now.
func (b *Backlog) Is(state State) bool { return b.awaited(state) == nil }

// Await waits until state holds. It returns false if ctx ends first.
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

// awaited returns a channel that the next change closes, or nil if state holds now.
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
