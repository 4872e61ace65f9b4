// Package fakeproviders leads the command mesh and other programs to the server of package discoverytest.
package fakeproviders

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// URLVariable is the variable with the URL of the server.
const URLVariable = "MESH_PROVIDERS_URL"

// Variable is a variable of the environment.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Environment returns the variables that lead mesh, and programs that read base URLs from their environment, to a server. The keys
// replace real ones, which the server must not get.
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

// Options returns the options of a client for the server at a URL of [URLVariable]. The keys of all providers are sent there, so it must be
// an address of this machine; any other is an error, which does not show it.
func Options(base string) ([]discovery.Option, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !isLocal(u.Hostname()) {
		return nil, errors.New(URLVariable + " must be an address of this machine, as mesh providers prints it")
	}
	server := &discoverytest.Server{URL: strings.TrimRight(base, "/")} // of another process
	return server.Options(), nil
}

func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Fault returns a response with a status and an error in a form that every provider's SDK reads.
func Fault(status int) *discoverytest.Fault {
	return &discoverytest.Fault{
		Status: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: fmt.Sprintf(`{"type":"error","error":{"type":"api_error","code":%d,"message":"This is the failure of mesh providers --fail %[1]d."}}`, status),
	}
}
