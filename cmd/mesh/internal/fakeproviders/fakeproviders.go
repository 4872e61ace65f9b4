// Package fakeproviders makes mesh and other programs call the fake servers in mesh
// providers.
package fakeproviders

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// URLVariable names the variable with the server's URL.
const URLVariable = "MESH_PROVIDERS_URL"

// Variable is an environment variable.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Environment returns base URLs for the server and placeholder keys: the server must not
// get real ones.
func Environment(base string) []Variable {
	variables := []Variable{
		{URLVariable, base},
		{"OPENAI_BASE_URL", base + "/openai/v1"}, {"ANTHROPIC_BASE_URL", base + "/anthropic"}, {"GOOGLE_GEMINI_BASE_URL", base + "/gemini"},
	}
	for _, name := range []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY", "GOOGLE_CLOUD_BILLING_API_KEY",
		"OPENAI_ADMIN_KEY", "ANTHROPIC_ADMIN_KEY", "XAI_MANAGEMENT_KEY",
	} {
		variables = append(variables, Variable{name, "example-key"})
	}
	return append(variables, Variable{"XAI_TEAM_ID", "example-team"})
}

// Options returns client options for the server at base. It refuses other machines, since
// every provider key is sent there. The error doesn't show base.
func Options(base string) ([]discovery.Option, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !isLocal(u.Hostname()) {
		return nil, errors.New(URLVariable + " must be an address on this machine, as printed by mesh providers")
	}
	server := &discoverytest.Server{URL: strings.TrimRight(base, "/")} // runs in another process
	return server.Options(), nil
}

func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
