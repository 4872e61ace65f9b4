package gatewaytest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// On a slow link the header arrives at once, and the body at the fault's rate. It may
// take ten times the timeout.
func TestSlowLinkDelaysTheBody(t *testing.T) {
	g := gatewaytest.New(t)
	for range 10 {
		g.Store("node-b", "node-a", "fyi", strings.Repeat("x", 60_000))
	}
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{BytesPerSecond: 100_000, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		transport := &http.Client{Transport: nettest.Pipe(t, g.Handler())}
		for timeout, complete := range map[time.Duration]bool{10 * time.Second: true, time.Second: true, time.Second / 2: false} {
			c, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(transport), client.WithTimeout(timeout))
			require.NoError(t, err)
			began := time.Now()
			messages, err := c.Fetch(t.Context(), client.FetchOptions{})
			if complete {
				require.NoError(t, err)
				assert.Len(t, messages, 10)
				assert.InDelta(t, 6, time.Since(began).Seconds(), 0.2)
				continue
			}
			var failed *client.MeshGatewayError
			require.ErrorAs(t, err, &failed)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, http.StatusOK, failed.StatusCode)
			time.Sleep(time.Second) // virtual time, in which the gateway stops writing
		}
	})
}
