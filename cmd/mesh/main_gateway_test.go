package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOpenGatewayWarns(t *testing.T) {
	t.Parallel()
	for addr, flags := range map[string][]string{":0": nil, "127.0.0.1:0": nil, "0.0.0.0:0": {"--token", "dev"}} {
		cmd := command(t, newGatewayForTest(t), append([]string{"gateway", "--listen", addr}, flags...)...)
		cmd.Env = append(cmd.Env, "MESH_GATEWAY_TOKEN=")
		p := startProcess(t, cmd)
		assert.Equal(t, flags == nil, strings.HasSuffix(p.line(), "There is no token: it accepts every request."))
		url, _ := strings.CutPrefix(p.line(), "export MESH_GATEWAY_URL=")
		if addr == ":0" {
			p.await("mesh: warning: no token: anyone who can reach " + url + " can read and send all messages\n")
			continue
		}
		_ = p.Process.Kill()
		p.exit()
		assert.Empty(t, p.stderr.String(), addr)
	}
}

// In a DNS rebinding attack, a web page's name resolves to the loopback address.
func TestOpenGatewayHasNames(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--host", "build.example"}, {"--token", "dev"}} {
		cmd := command(t, newGatewayForTest(t), append([]string{"gateway", "--listen", "127.0.0.1:0"}, flags...)...)
		cmd.Env = append(cmd.Env, "MESH_GATEWAY_TOKEN=")
		p := startProcess(t, cmd)
		p.line()
		url, _ := strings.CutPrefix(p.line(), "export MESH_GATEWAY_URL=")
		for host, want := range map[string]int{"localhost:8787": 200, "127.0.0.1": 200, "[::1]:8787": 200, "build.example": 200, "attacker.example:8787": 403} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/peers", nil)
			require.NoError(t, err)
			req.Host = host
			if flags[0] == "--token" { // which a web page doesn't have
				want = 200
				req.Header.Set("Authorization", "Bearer dev")
			}
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			assert.NoError(t, res.Body.Close())
			assert.Equal(t, want, res.StatusCode, host)
		}
		_ = p.Process.Kill()
		p.exit()
	}
}
