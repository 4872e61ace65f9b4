package client

import (
	"context"
	"net/http"
	"strings"
)

// Health returns what the gateway says of itself, as text: JSON on today's gateway, plain text on others (GET /health;
// WIRE.md G16). It needs no token. A status that is not 2xx is a [*MeshGatewayError].
func (c *MeshClient) Health(ctx context.Context) (string, error) {
	resp, err := c.do(ctx, opHealth, func(ctx context.Context) (*http.Response, error) {
		return c.api.GetHealth(ctx)
	})
	return strings.ToValidUTF8(string(resp.Body), "\uFFFD"), err
}
