package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// No request has a version in its path or headers, or a parameter that is not documented.
func TestRequestOfEveryOperation(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithThreads(threadID))
	c := connect(t, g, "node-a")
	id := g.Store("node-b", "node-a", "fyi", "for Watch and MarkRead")
	for operation, call := range operations {
		if operation != "MarkRead" && operation != "Ask" && operation != "AskAll" && operation != "Await" { // ask_test.go has their requests
			require.NoError(t, call(t.Context(), c), operation)
		}
	}
	require.NoError(t, c.MarkRead(t.Context(), id))
	var sent []string
	for _, r := range g.Requests() {
		sent = append(sent, strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.Query.Encode(), "?"))
		headers := []string{"User-Agent", "Accept-Encoding"}
		if r.Method == http.MethodPost {
			headers = append(headers, "Content-Length")
		}
		if r.Body != "" {
			headers = append(headers, "Content-Type")
		}
		for name := range r.Header {
			assert.Contains(t, headers, name, r.Operation)
		}
	}
	slices.Sort(sent)
	assert.Equal(t, []string{
		"GET /health", "GET /messages?from=node-a", "GET /messages?from=node-a&kind=question&limit=1000",
		"GET /messages?limit=1000&to=node-a", "GET /messages?limit=1000&to=node-a&unread_only=true", "GET /messages?to=node-a", "GET /peers", "GET /peers",
		"GET /peers/node-b", "GET /threads/" + threadID + "?limit=1", "GET /threads?limit=1&peer=node-a&session_id=s&topic=builds", "GET /threads?limit=100&peer=node-a%E2%86%94node-b&topic=builds",
		"POST /messages", "POST /messages", "POST /messages/1/read", "POST /peers/register", "POST /threads",
	}, sent, "add the request of a new operation. Send and Reply share one GET /peers; ListPeers sends another")
}
