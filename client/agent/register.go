package agent

import (
	"context"
	"errors"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/pause"
)

// registering is the key in node.State for a channel that Serve closes once it has
// registered the node.
type registering struct{}

// checkSender returns an error if this node can't receive replies. If a Serve is just
// registering the node, it waits.
func (c *node) checkSender(ctx context.Context) error {
	for {
		err := c.CheckRecipient(ctx, c.Name)
		unknown := (*client.NotInRegistryError)(nil)
		if !errors.As(err, &unknown) || client.ValidNodeName(c.Name) != nil { // the registry has valid names only
			return nil //nolint:nilerr // each recipient is refused for a lookup that fails
		}
		registered, waits := c.State.Load(registering{})
		if !waits {
			return &client.NotInRegistryError{Name: unknown.Name, Sender: true}
		}
		select {
		case <-registered.(chan struct{}):
		case <-ctx.Done():
			return nil // the question is not sent
		}
	}
}

// prepare registers the node, and checks that the gateway supports claims. It retries
// until it succeeds, ctx ends (nil), or the gateway refuses, which is an error.
func (s *server) prepare(ctx context.Context) (err error) {
	if s.opts.Register != nil {
		s.registration = *s.opts.Register
		registered := make(chan struct{})
		s.client.State.Store(registering{}, registered)
		err = s.insist(ctx, s.register)
		s.client.State.CompareAndDelete(registering{}, registered)
		close(registered)
	}
	if s.opts.Lease > 0 && err == nil {
		err = s.insist(ctx, s.claims.checkKeys)
	}
	return err
}

// Retries do while the gateway is unreachable or its response is invalid.
func (s *server) insist(ctx context.Context, do func(context.Context) error) error {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		err := do(ctx)
		if err == nil || ctx.Err() != nil {
			return nil //nolint:nilerr // ctx has ended, which is no failure
		}
		if !classify(err).unreached() && classify(err) != broken || errors.Is(err, errKeysIgnored) {
			return err
		}
		s.report(message{}, err)
		_ = s.client.Sleep(ctx, RetryPause(err, attempt)) // the loop checks what ended it
	}
	return nil
}

func (s *server) register(ctx context.Context) error {
	err := s.client.CompleteRegistration(ctx, &s.registration)
	if err == nil {
		_, err = s.client.Register(ctx, s.registration)
	}
	return err
}

// keepRegistered registers the node again if the gateway has lost it, until ctx ends. It
// leaves a disabled node alone: enabling it is up to the operator.
func (s *server) keepRegistered(ctx context.Context) {
	for s.client.Sleep(ctx, pause.Shorten(registrationInterval)) == nil {
		_, err := s.client.Peer(ctx, s.client.Name)
		if unknown := (*client.NotInRegistryError)(nil); errors.As(err, &unknown) {
			err = s.register(ctx)
		}
		if withoutRows(err) != nil && ctx.Err() == nil {
			s.report(message{}, err)
		}
	}
}

func (s *server) ready(ctx context.Context) {
	if s.opts.OnReady != nil {
		s.opts.OnReady()
	}
	if s.opts.Register == nil && s.client.checkSender(ctx) != nil {
		s.client.Log.WarnContext(ctx, "this node is not registered or not enabled: no node can send to it; set ServeOptions.Register")
	}
}
