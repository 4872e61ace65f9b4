package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// A gateway that lost the node gets the same registration again, and an outage is
// reported once.
func TestMemberRegistersAgain(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithToken("example-token"))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithToken("example-token"),
			client.WithLogger(slog.New(slog.DiscardHandler)), client.WithHTTPClient(&http.Client{Transport: nettest.Pipe(t, g.Handler())}))
		require.NoError(t, err)
		defer c.Close()
		_, err = c.Register(ctx, client.RegisterRequest{URL: "http://a.example", Capabilities: map[string]any{"role": "worker"}})
		require.NoError(t, err)
		m := member{client: c}
		require.NoError(t, m.join(ctx))
		reports := make(chan error, 10)
		go m.stay(ctx, func(err error) { reports <- err })

		g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: -1})
		time.Sleep(3 * joinInterval)
		g.Heal()
		g.Reset()
		time.Sleep(joinInterval)
		synctest.Wait()
		peer, err := c.GetPeer(ctx, "node-a")
		require.NoError(t, err)
		assert.Equal(t, "http://a.example", peer.GetURL())
		assert.Equal(t, map[string]any{"role": "worker"}, peer.Capabilities)
		cancel()
		synctest.Wait()
		assert.Len(t, reports, 1)
	})
}
