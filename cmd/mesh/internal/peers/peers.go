// Package peers prepares a node's registration.
package peers

import (
	"cmp"
	"context"
	"errors"
	"net/url"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// CheckURL returns an error if text, the value for --url, is neither empty nor an HTTP
// URL. The gateway wouldn't reject it.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return exit.Usagef("--url must be an http:// or https:// URL")
	}
	return nil
}

// Registration returns a request that registers this node and keeps its registered
// values. If they're unreadable, it returns an error: registering would erase them.
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
