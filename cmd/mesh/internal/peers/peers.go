// Package peers finds and registers nodes.
package peers

import (
	"cmp"
	"context"
	"errors"
	"net/url"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// CheckURL checks --url, which may be empty. A gateway accepts any text.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return exit.Usagef("--url must be an http:// or https:// URL")
	}
	return nil
}

// Registration returns the request that registers this node. It keeps registered values,
// and fails if they're unreadable: registering would erase them.
func Registration(ctx context.Context, c *client.MeshClient, url string) (client.RegisterRequest, error) {
	req := client.RegisterRequest{URL: url}
	var unknown *client.NotInRegistryError
	peer, err := c.GetPeer(ctx, c.Node())
	switch {
	case err == nil:
		req.URL, req.Capabilities = cmp.Or(url, peer.GetURL()), peer.Capabilities
	case errors.As(err, &unknown): // first registration
	default:
		return req, err
	}
	return req, nil
}
