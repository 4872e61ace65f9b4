package meter

import (
	"net"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// HostProvider returns the provider of an official host, such as "api.openai.com" or "eu.api.openai.com:443", and reports whether
// the host is one. The provider is "" for the hosts of OpenRouter, Bedrock, Vertex and Azure. These are the hosts that a Meter knows
// without [WithEndpoint].
func HostProvider(host string) (models.Provider, bool) {
	e, ok := official(host)
	return models.Provider(e.Provider), ok
}

// official returns what is known of an official host, with its port or without.
func official(host string) (endpoints.Endpoint, bool) {
	if strings.Contains(host, ":") { // an error of SplitHostPort allocates
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
	}
	return endpoints.OfHost(strings.TrimSuffix(host, "."))
}
