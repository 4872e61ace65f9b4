package client

import (
	"context"
	"errors"
	"net/http"
)

// register registers the node, again and again while the gateway cannot be reached. It returns the error of a refusal, which
// a later attempt cannot change, and nil when ctx ends first.
func (s *server) register(ctx context.Context) error {
	if s.opts.Register == nil {
		return nil
	}
	for attempt := 1; ; attempt++ {
		_, err := s.client.Register(ctx, *s.opts.Register)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if !outage(err) {
			return err
		}
		s.report(MeshMessage{}, err)
		if s.client.sleep(ctx, jitter(backoff(servePause, maxServePause, attempt))) != nil {
			return nil
		}
	}
}

// outage reports whether a later attempt may succeed: there was no response, or a 2xx response that is invalid or breaks off,
// or one that a gateway in trouble sends.
func outage(err error) bool {
	var failed *MeshGatewayError
	if !errors.As(err, &failed) || errors.Is(err, errClosed) {
		return false
	}
	status := failed.StatusCode
	return status == 0 || accepted(status) || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// keepRegistered registers the node again when the gateway has forgotten it, until ctx ends.
func (s *server) keepRegistered(ctx context.Context) {
	for s.client.sleep(ctx, jitter(registrationInterval)) == nil {
		_, err := s.client.GetPeer(ctx, s.client.node)
		var forgotten *NotInRegistryError
		if errors.As(err, &forgotten) {
			_, err = s.client.Register(ctx, *s.opts.Register)
		}
		if err != nil && ctx.Err() == nil {
			s.report(MeshMessage{}, err)
		}
	}
}
