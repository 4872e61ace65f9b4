package gatewaytest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// statusFor returns the status of a message that is sent to a gateway under a name, with a header.
func statusFor(t *testing.T, g *gatewaytest.Gateway, host string, header ...string) int {
	t.Helper()
	body := strings.NewReader(`{"from_node":"node-a","to_node":"node-b","kind":"question","content":"x"}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.URL+"/messages", body)
	require.NoError(t, err)
	req.Host = host
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	return res.StatusCode
}

func TestWithHosts(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"), gatewaytest.WithHosts("localhost", "127.0.0.1", "::1"), gatewaytest.WithHosts("Build.example"))
	sent := statusFor(t, g, "localhost")
	require.Less(t, sent, 300)
	for _, host := range []string{"localhost:8787", "LocalHost", "127.0.0.1:1", "127.0.0.1", "[::1]", "[::1]:8787", "build.example:80"} {
		assert.Equal(t, sent, statusFor(t, g, host), host)
	}
	for _, host := range []string{"attacker.example", "attacker.example:8787", "localhost.attacker.example", "127.0.0.1.attacker.example:8787", "x", "[::2]", "127.0.0.2"} {
		assert.Equal(t, http.StatusForbidden, statusFor(t, g, host), host)
	}
	assert.Equal(t, http.StatusForbidden, statusFor(t, g, "localhost", "Origin", "https://attacker.example"))
	assert.Equal(t, http.StatusForbidden, statusFor(t, g, "localhost", "Sec-Fetch-Site", "cross-site", "Content-Type", "text/plain"))
	assert.Equal(t, sent, statusFor(t, g, "localhost:8787", "Origin", "http://localhost:8787"))
	assert.Equal(t, sent, statusFor(t, gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b")), "attacker.example"), "without the option every name is accepted")
}
