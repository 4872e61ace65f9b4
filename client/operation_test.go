package client_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// No request has a header that it does not need. TestRequestsAndResponsesConformToTheDocument checks paths and parameters.
func TestHeadersOfEveryOperation(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithThreads(threadID))
	c := connect(t, g, "node-a")
	g.Store("node-b", "node-a", "fyi", "for Watch")
	for _, call := range operations {
		require.NoError(t, ignoringStatus(call(t.Context(), c)))
	}
	for _, r := range g.Requests() {
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
}
