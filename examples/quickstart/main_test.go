package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func TestQuickstartPrintsEverySection(t *testing.T) {
	withoutEnvironment(t)
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false))
	for _, want := range []string{
		"in memory at http://127.0.0.1:", "Two nodes register", "[REDACTED] (shown once", "enabled=true",
		"message 1, quickstart-asker → quickstart-helper", `reads: "How far is the nightly build?"`,
		`from quickstart-helper: "All green."`, "0 unread now",
		"refused by rule 2, anthropic-api-key", `"quickstart-helpr" is not registered or not enabled; did you mean quickstart-helper`,
		"108 models, most of them by Open AI (36)", "gpt-4o is openai/gpt-4o by Open AI, 128000 tokens of context", "Retiring within 60 days",
		"gemini 3.1 flash lite  0.25 in, 1.5 out", "a call cost            0.034 USD, claude-opus-5-5 for ann", "deepseek balance       42.50 USD", "billed  counted", "4.25     4.10", "billed   12.75", "drift   +0.45",
	} {
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String(), "sk-ant-example")
	assert.NotContains(t, out.String(), "EXAMPLE-", "no peer token is shown")
}

func TestRealUsesTheGatewayOfTheEnvironment(t *testing.T) {
	withoutEnvironment(t)
	g := gatewaytest.New(t, gatewaytest.WithToken("a-token-of-the-test"))
	t.Setenv("MESH_GATEWAY_URL", g.URL)
	t.Setenv("MESH_GATEWAY_TOKEN", "a-token-of-the-test")
	for range 2 { // the second time, the nodes are already registered
		var out strings.Builder
		require.NoError(t, messaging(t.Context(), &page{out: &out, real: true}))
		assert.Contains(t, out.String(), "the real one, in MESH_GATEWAY_URL")
		assert.NotContains(t, out.String(), "a-token-of-the-test")
	}
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 4)
}

func TestRealUsesTheCatalogOfTheEnvironment(t *testing.T) {
	withoutEnvironment(t)
	s := discoverytest.New(t, discoverytest.WithCatalog([]byte(`{"id":"acme/one","developer":"Acme"}`)))
	t.Setenv("MESH_CATALOG_URL", s.URL+"/catalog")
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, true))
	assert.Contains(t, out.String(), "1 models, most of them by Acme (1)")
	assert.Contains(t, out.String(), "gpt-4o is not in the catalog")
}

// withoutEnvironment clears every variable that the quickstart reads.
func withoutEnvironment(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"MESH_GATEWAY_URL", "MESH_GATEWAY_TOKEN", "MESH_CATALOG_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY",
		"GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY", "DEEPSEEK_API_KEY", "DEEPSEEK_LEGACY_ENV_PATH", "OPENAI_ADMIN_KEY",
	} {
		t.Setenv(name, "")
	}
}

func TestWithoutRealTheEnvironmentIsIgnored(t *testing.T) {
	withoutEnvironment(t)
	for _, name := range []string{"MESH_GATEWAY_URL", "MESH_CATALOG_URL", "MESH_GATEWAY_TOKEN", "OPENAI_ADMIN_KEY", "DEEPSEEK_API_KEY"} {
		t.Setenv(name, "http://127.0.0.1:1/must-not-be-used")
	}
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false))
	assert.Contains(t, out.String(), "providers in memory")
	assert.NotContains(t, out.String(), "must-not-be-used")
}

func TestWrongGatewayURLIsReportedWithItsVariable(t *testing.T) {
	for _, wrong := range []string{"http://127.0.0.1:1", "gateway:8787", "ftp://gateway"} {
		withoutEnvironment(t)
		t.Setenv("MESH_GATEWAY_URL", wrong)
		var out strings.Builder
		err := run(t.Context(), &out, true)
		require.ErrorContains(t, err, "MESH_GATEWAY_URL (an example of a URL is http://127.0.0.1:8787/gateway)", wrong)
	}
}
