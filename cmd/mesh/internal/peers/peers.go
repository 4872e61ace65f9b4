// Package peers has what commands share that register this node or depend on its registration.
package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// lookupTime bounds a look-up that a command can do without.
const lookupTime = 3 * time.Second

// Unregistered returns the error of a node that is not registered. It ignores a look-up that fails, since the command itself may succeed.
func Unregistered(ctx context.Context, c *client.MeshClient) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	_, err := c.GetPeer(ctx, c.Node())
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
	var failed *client.MeshGatewayError
	peer, err := c.GetPeer(ctx, c.Node())
	switch {
	case err == nil:
		req.URL, req.Capabilities = cmp.Or(url, peer.GetURL()), peer.Capabilities
	case errors.As(err, &unknown): // there is no earlier registration
	case errors.As(err, &failed) && failed.StatusCode == http.StatusNotFound: // the gateway is too old to return it
	default:
		return req, err
	}
	req.URL = cmp.Or(req.URL, "http://"+c.Node()+":8787") // current gateways require one
	return req, nil
}
