// Package peers has what commands share that register this node or depend on its registration.
package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

// lookupTime bounds a look-up that a command can do without.
const lookupTime = 3 * time.Second

// Get returns a registered node. Gateways without GET /peers/{name} list the enabled nodes only.
func Get(ctx context.Context, c *client.MeshClient, name string) (*client.MeshPeer, error) {
	peer, err := c.GetPeer(ctx, name)
	if !errors.Is(err, client.ErrNoSuchPath) {
		return peer, err
	}
	all, err := c.ListPeers(ctx)
	if i := slices.IndexFunc(all, func(p client.MeshPeer) bool { return p.Name == name }); i >= 0 {
		return &all[i], nil
	}
	invalid, err := mail.InvalidRows(err)
	if i := slices.IndexFunc(invalid, func(row *client.RowError) bool { return row.Name == name }); i >= 0 {
		err = invalid[i]
	}
	if err == nil {
		err = &client.NotInRegistryError{Name: name}
	}
	return nil, err
}

// Unregistered returns an error if this node is not registered. A failed lookup is ignored: the command itself may succeed.
func Unregistered(ctx context.Context, c *client.MeshClient) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	_, err := Get(ctx, c, c.Node())
	if unknown := (*client.NotInRegistryError)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("this node cannot receive answers: %w; mesh register --node %s", err, c.Node())
	}
	return nil
}

// CheckURL checks --url; "" is not given. A gateway accepts any text.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return exit.Usagef("--url must be an http:// or https:// URL")
	}
	return nil
}

// Registration returns the request that registers this node. What is not given stays as an earlier registration has it. If that
// cannot be read, registering would erase it.
func Registration(ctx context.Context, c *client.MeshClient, url string) (client.RegisterRequest, error) {
	req := client.RegisterRequest{URL: url}
	var unknown *client.NotInRegistryError
	peer, err := Get(ctx, c, c.Node())
	switch {
	case err == nil:
		req.URL, req.Capabilities = cmp.Or(url, peer.GetURL()), peer.Capabilities
	case errors.As(err, &unknown): // there is no earlier registration
	default:
		return req, err
	}
	req.URL = cmp.Or(req.URL, "http://"+c.Node()+":8787") // current gateways require one
	return req, nil
}
