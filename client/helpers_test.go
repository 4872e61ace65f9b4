package client_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// emptyGateway is a gateway that only knows node-b.
func emptyGateway(t *testing.T) *gatewaytest.Gateway {
	t.Helper()
	return gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-b"))
}

// slowGateway has 200 messages with 6 KB each, behind a link with 100 KB a second.
func slowGateway(t *testing.T) *gatewaytest.Gateway {
	t.Helper()
	g := emptyGateway(t)
	for range 200 {
		g.Store("node-b", "node-a", "question", long("x", 6_000))
	}
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{BytesPerSecond: 100_000, Times: -1})
	return g
}

// limits returns the limits in list requests.
func limits(g *gatewaytest.Gateway) (limits []int) {
	for _, r := range g.Requests(gatewaytest.ListMessages) {
		n, _ := strconv.Atoi(r.Query.Get("limit"))
		limits = append(limits, n)
	}
	return limits
}

func row(id int, from string) string {
	return fmt.Sprintf(`{"id":%d,"from_node":%q,"to_node":"node-a","kind":"fyi","content":"x","created_at":"now"}`, id, from)
}
