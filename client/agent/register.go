package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/internal/pause"
)

// prepare registers the node, and checks that the gateway can hold claims. It returns the error of a refusal, which a later attempt cannot
// change, and nil when ctx ends first.
func (s *server) prepare(ctx context.Context) (err error) {
	if s.opts.Register != nil {
		err = s.insist(ctx, s.register)
	}
	if s.opts.Lease > 0 && err == nil {
		err = s.insist(ctx, s.checkKeys)
	}
	return err
}

// insist calls do again and again while the gateway cannot be reached.
func (s *server) insist(ctx context.Context, do func(context.Context) error) error {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		err := do(ctx)
		if err == nil || ctx.Err() != nil {
			return nil //nolint:nilerr // the end of ctx is not a failure
		}
		if !classify(err).passes() || errors.Is(err, errKeysIgnored) {
			return err
		}
		s.report(client.MeshMessage{}, err)
		_ = s.client.Sleep(ctx, RetryPause(err, attempt)) // the loop checks what ended it
	}
	return nil
}

func (s *server) register(ctx context.Context) error {
	_, err := s.client.Register(ctx, *s.opts.Register)
	return err
}

// keepRegistered registers the node again when the gateway has lost it, until ctx ends.
func (s *server) keepRegistered(ctx context.Context) {
	for s.client.Sleep(ctx, pause.Shorten(registrationInterval)) == nil {
		known, err := s.isRegistered(ctx)
		if err == nil && !known {
			err = s.register(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.report(client.MeshMessage{}, err)
		}
	}
}

// isRegistered reports whether the gateway knows the node. A disabled node is registered: registering it again is up to the
// operator. Older gateways can only list the enabled peers.
func (s *server) isRegistered(ctx context.Context) (bool, error) {
	_, err := s.client.Peer(ctx, s.client.Name)
	var unknown *client.NotInRegistryError
	switch {
	case errors.As(err, &unknown):
		return false, nil
	case !errors.Is(err, client.ErrNoSuchPath):
		return err == nil, err
	}
	peers, err := s.client.Peers(ctx)
	known := slices.ContainsFunc(peers, func(p client.MeshPeer) bool { return p.Name == s.client.Name }) ||
		slices.ContainsFunc(seam.Parts[*client.RowError](err), func(e *client.RowError) bool { return e.Name == s.client.Name })
	return known, seam.Without[*client.RowError](err)
}
