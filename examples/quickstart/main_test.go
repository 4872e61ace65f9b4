package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestQuickstartShowsEverySection(t *testing.T) {
	t.Setenv("MESH_GATEWAY_URL", "")
	t.Setenv("MESH_GATEWAY_TOKEN", "")
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	for _, want := range []string{
		"in memory at http://127.0.0.1:", "Two nodes register", "[REDACTED] (shown once", "enabled=true",
		"message 1, quickstart-asker → quickstart-helper", `reads: "How far is the nightly build?"`,
		`from quickstart-helper: "All green."`, "0 unread now",
		"refused by rule 2, anthropic-api-key", `"quickstart-helpr" is not registered or not enabled; did you mean quickstart-helper`,
	} {
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String(), "sk-ant-example")
	assert.NotContains(t, out.String(), "EXAMPLE-", "no peer token is shown")
}

func TestQuickstartUsesTheGatewayItIsGiven(t *testing.T) {
	g := gatewaytest.New(t, gatewaytest.WithToken("a-token-of-the-test"))
	t.Setenv("MESH_GATEWAY_URL", g.URL)
	t.Setenv("MESH_GATEWAY_TOKEN", "a-token-of-the-test")
	for range 2 { // the second time, the names are known already
		var out strings.Builder
		require.NoError(t, run(t.Context(), &out))
		assert.Contains(t, out.String(), "the one that MESH_GATEWAY_URL names")
		assert.NotContains(t, out.String(), "a-token-of-the-test")
	}
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 4)
}

func TestQuickstartSaysWhatIsWrong(t *testing.T) {
	t.Setenv("MESH_GATEWAY_URL", "http://127.0.0.1:1")
	var out strings.Builder
	require.ErrorContains(t, run(t.Context(), &out), "POST /peers/register")
}
