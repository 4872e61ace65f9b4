package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOpenGatewayWarns(t *testing.T) {
	t.Parallel()
	for addr, flags := range map[string][]string{":0": nil, "127.0.0.1:0": nil, "0.0.0.0:0": {"--token", "dev"}} {
		cmd := command(t, newGatewayForTest(t), append([]string{"gateway", "--addr", addr}, flags...)...)
		cmd.Env = append(cmd.Env, "MESH_GATEWAY_TOKEN=")
		p := startProcess(t, cmd)
		assert.Equal(t, flags == nil, strings.HasSuffix(p.line(), "It has no token and accepts every request."))
		url, _ := strings.CutPrefix(p.line(), "export MESH_GATEWAY_URL=")
		if addr == ":0" {
			p.await("mesh: warning: there is no token: everybody who reaches " + url + " can read and send all messages\n")
			continue
		}
		_ = p.Process.Kill()
		p.exit()
		assert.Empty(t, p.stderr.String(), addr)
	}
}
