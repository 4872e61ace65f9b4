package client

import (
	"context"
	"errors"
	"fmt"
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

// servePauseAfter returns the pause after failed attempts, or the Retry-After of the last one if that is longer.
func servePauseAfter(err error, attempts int) time.Duration {
	return max(jitter(backoff(servePause, maxServePause, attempts)), withJitter(min(retryAfter(err), maxRetryAfter)))
}

func hasStatus(err error, status int) bool {
	var failed *MeshGatewayError
	return errors.As(err, &failed) && failed.StatusCode == status
}
