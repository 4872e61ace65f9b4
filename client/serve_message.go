package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The messages that wait without a slot, for another attempt or for OnError, keep their contents in memory. Together they have at
// most maxWaitingBytes, and each has messageBytes for its goroutine and its other fields. Further messages wait in their slots.
const (
	maxWaitingBytes = 32 << 20
	messageBytes    = 32 << 10
)

// unknownPeerPause is the shortest pause after a NotInRegistryError. With the default number of attempts, the pauses together take
// as long as Serve needs to register a node again at a gateway that has lost its database.
const unknownPeerPause = registrationInterval / 4

// process hands m to the handler until it succeeds or is given up. It begins with a slot and ends without one, unless ctx has ended.
func (s *server) process(ctx context.Context, m MeshMessage) {
	for attempt := 1; ; attempt++ {
		err := s.handler(m)
		if err == nil {
			s.markRead(ctx, mark{message: m, cause: "handled"})
			<-s.slots
			return
		}
		if attempt == s.opts.MaxAttempts || isRefused(err) {
			s.giveUp(ctx, m, fmt.Errorf("given up after attempt %d: %w", attempt, err))
			return
		}
		if !s.pause(ctx, m, servePauseAfter(err, attempt)) {
			return
		}
	}
}

// isRefused reports whether err refuses a reply for its content or its recipient, so that the same reply is refused again.
func isRefused(err error) bool {
	var invalid *ValueError
	var leak *MeshSecretLeakError
	return errors.As(err, &invalid) || errors.As(err, &leak)
}

// giveUp ends the attempts for m. The mark is sent in the slot, as after a success. OnError may wait for a person: the worker is
// free for other messages then.
func (s *server) giveUp(ctx context.Context, m MeshMessage, err error) {
	if s.opts.OnGiveUp != nil && s.opts.OnGiveUp(m, err) {
		s.markRead(ctx, mark{message: m, cause: "given up"})
	} else {
		s.active.remove(m)
	}
	if size := waitingBytes(m); s.waiting.TryAcquire(size) {
		<-s.slots
		s.report(m, err)
		s.waiting.Release(size)
		return
	}
	s.report(m, err)
	<-s.slots
}

// pause waits for d without the slot of m, and then for another slot. It returns false when ctx ends or the client is closed first.
func (s *server) pause(ctx context.Context, m MeshMessage, d time.Duration) bool {
	size := waitingBytes(m)
	if !s.waiting.TryAcquire(size) {
		return s.client.sleep(ctx, d) == nil
	}
	defer s.waiting.Release(size)
	<-s.slots
	return s.client.sleep(ctx, d) == nil && s.acquire(ctx)
}

func waitingBytes(m MeshMessage) int64 {
	n := messageBytes + len(m.GetContent())
	for name, value := range m.AdditionalProperties {
		n += len(name) + len(value)
	}
	return int64(n)
}

// servePauseAfter returns the pause after failed attempts, or the Retry-After of the last one if that is longer.
func servePauseAfter(err error, attempts int) time.Duration {
	d := jitter(backoff(servePause, maxServePause, attempts))
	var unknown *NotInRegistryError
	if errors.As(err, &unknown) {
		d = max(d, withJitter(unknownPeerPause))
	}
	return max(d, withJitter(min(retryAfter(err), maxRetryAfter)))
}

func hasStatus(err error, status int) bool {
	var failed *MeshGatewayError
	return errors.As(err, &failed) && failed.StatusCode == status
}

// messageSet is the messages that Serve has not finished with.
type messageSet struct {
	mu   sync.Mutex
	keys map[messageKey]struct{}
}

// add reports whether m was not in the set.
func (s *messageSet) add(m MeshMessage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.keys[keyOf(m)]; ok {
		return false
	}
	if s.keys == nil {
		s.keys = make(map[messageKey]struct{})
	}
	s.keys[keyOf(m)] = struct{}{}
	return true
}

func (s *messageSet) remove(m MeshMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.keys, keyOf(m))
}
