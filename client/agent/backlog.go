package agent

import (
	"context"
	"sync"
)

// backlog holds the messages that wait for a worker. Their senders take turns, over all polls.
type backlog struct {
	mu      sync.Mutex
	turns   []string // the senders with messages, the next one first
	waiting map[string][]message
	bytes   int64
	changed chan struct{} // closed by the next change; nil if nobody waits for it
}

// add adds the messages of a poll at once, since their senders take turns as well.
func (b *backlog) add(messages []message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(map[string][]message)
	}
	for _, m := range messages {
		if len(b.waiting[m.FromNode]) == 0 {
			b.turns = append(b.turns, m.FromNode)
		}
		b.waiting[m.FromNode] = append(b.waiting[m.FromNode], m)
		b.change(waitingBytes(m))
	}
}

// next removes the message whose turn it is. There must be one.
func (b *backlog) next() message {
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
	b.change(-waitingBytes(m))
	return m
}

// change is called with mu held.
func (b *backlog) change(bytes int64) {
	b.bytes += bytes
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// The states of a backlog that goroutines wait for. One with room has less than maxWaitingBytes.
func (b *backlog) isFilled() bool { return b.bytes > 0 }
func (b *backlog) isEmpty() bool  { return b.bytes == 0 }
func (b *backlog) hasRoom() bool  { return b.bytes < maxWaitingBytes }

// await waits until the backlog is in a state. It returns false if ctx ends first.
func (b *backlog) await(ctx context.Context, is func() bool) bool {
	for ctx.Err() == nil {
		changed := b.awaited(is)
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

// awaited returns what ends with the next change, or nil if the backlog is in the state.
func (b *backlog) awaited(is func() bool) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if is() {
		return nil
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}
