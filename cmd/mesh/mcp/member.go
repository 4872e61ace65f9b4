package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/peers"
)

// member keeps a node registered. It remembers the last registration, so that a gateway that has lost it gets the same again.
type member struct {
	client *client.MeshClient
	known  *client.RegisterRequest
}

// join registers the node unless it is registered.
func (m *member) join(ctx context.Context) error {
	peer, err := m.client.GetPeer(ctx, m.client.Node())
	var unknown *client.NotInRegistryError
	switch {
	case err == nil:
		m.known = &client.RegisterRequest{URL: peer.GetURL(), Capabilities: peer.Capabilities}
		return nil
	case !errors.As(err, &unknown):
		return err
	case m.known == nil:
		req, err := peers.Registration(ctx, m.client, "")
		if err != nil {
			return err
		}
		m.known = &req
	}
	_, err = m.client.Register(ctx, *m.known)
	return err
}

// joinInterval is the time between two checks of the registration.
const joinInterval = 30 * time.Second

// stay joins again and again until ctx ends. It reports the first error of several in a row.
func (m *member) stay(ctx context.Context, report func(error)) {
	checks := time.NewTicker(joinInterval)
	defer checks.Stop()
	for failed := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-checks.C:
		}
		err := m.join(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			report(err)
		}
		failed = err != nil
	}
}
