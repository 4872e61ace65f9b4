package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// process hands m to the handler until it succeeds or is given up. The first slot is already acquired.
func (s *server) process(ctx context.Context, m MeshMessage, database int64) {
	for attempt := 1; ; attempt++ {
		err := s.attempt(m)
		if err == nil {
			s.markRead(ctx, m, database)
			return
		}
		if attempt == s.opts.MaxAttempts {
			s.report(m, fmt.Errorf("given up after attempt %d: %w", attempt, err))
			return
		}
		if s.client.sleep(ctx, servePauseAfter(err, attempt)) != nil || !s.acquire(ctx) {
			return
		}
	}
}

// attempt runs the handler once and releases its slot.
func (s *server) attempt(m MeshMessage) error {
	defer func() { <-s.slots }()
	return s.handler(m)
}

// markRead marks a handled message. It repeats a mark that fails until the gateway answers, and once more when ctx ends during
// a pause. A 404 means that the message is marked already. A message of an earlier database is not marked: its id may belong to
// another message now.
func (s *server) markRead(ctx context.Context, m MeshMessage, database int64) {
	for attempt := 1; s.database.Load() == database; attempt++ {
		err := s.client.MarkRead(context.WithoutCancel(ctx), m.ID)
		if err == nil || hasStatus(err, http.StatusNotFound) {
			return
		}
		last := ctx.Err() != nil || !isOutage(err)
		if last || attempt == s.opts.MaxAttempts {
			s.report(m, fmt.Errorf("handled, but not marked read after attempt %d: %w", attempt, err))
		}
		if last {
			return
		}
		_ = s.client.sleep(ctx, servePauseAfter(err, attempt)) // the last attempt follows the end of ctx
	}
}

// servePauseAfter returns the pause after failed attempts, or the Retry-After of the last one if that is longer.
func servePauseAfter(err error, attempts int) time.Duration {
	return max(jitter(backoff(servePause, maxServePause, attempts)), withJitter(min(retryAfter(err), maxRetryAfter)))
}

func hasStatus(err error, status int) bool {
	var failed *MeshGatewayError
	return errors.As(err, &failed) && failed.StatusCode == status
}
