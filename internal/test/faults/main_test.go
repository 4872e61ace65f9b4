package faults_test

import (
	"net/http"
	"os"
	"testing"
)

// mark is part of every credential and must not appear in anything that a user can see.
const mark = "example.credential"

// token has characters that are escaped in URLs, JSON and HTML.
const token = mark + `.token/of+the&matrix="1"`

// environment variable -> provider key
var keys = map[string]string{
	"OPENAI_API_KEY": mark + ".openai/1+2&3", "DEEPSEEK_API_KEY": mark + ".deepseek/1+2&3", "ANTHROPIC_API_KEY": mark + ".anthropic/1+2&3",
	"GEMINI_API_KEY": mark + ".gemini/1+2&3", "XAI_API_KEY": mark + ".xai/1+2&3", "GOOGLE_CLOUD_BILLING_API_KEY": mark + ".billing/1+2&3",
	"OPENAI_ADMIN_KEY": mark + ".admin/1+2&3", "ANTHROPIC_ADMIN_KEY": mark + ".adm/1+2&3", "XAI_MANAGEMENT_KEY": mark + ".management/1+2&3",
}

// A developer's exported keys, addresses and proxies must not change the results.
func TestMain(m *testing.M) {
	for name := range keys {
		os.Unsetenv(name)
	}
	for _, name := range []string{
		"MESH_GATEWAY_TOKEN", "MESH_GATEWAY_URL", "MESH_CATALOG_URL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "no_proxy", "GOOGLE_CLOUD_API_KEY", "DEEPSEEK_LEGACY_ENV_PATH", "XAI_TEAM_ID",
	} {
		os.Unsetenv(name)
	}
	code := m.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	os.Exit(code)
}
