// Package peers has what commands share that register this node or depend on its registration.
package peers

import (
	"cmp"
	"context"
	"errors"
	"net/url"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

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
	peer, err := c.GetPeer(ctx, c.Node())
	switch {
	case err == nil:
		req.URL, req.Capabilities = cmp.Or(url, peer.GetURL()), peer.Capabilities
	case errors.As(err, &unknown): // there is no earlier registration
	default:
		return req, err
	}
	return req, nil
}
