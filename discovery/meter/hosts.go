package meter

import (
	"net"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// HostProvider returns the provider of an official host, such as "api.openai.com" or "eu.api.openai.com:443", and reports whether
// the host is one. These are the hosts that a Meter knows without [WithHost].
func HostProvider(host string) (models.Provider, bool) {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	p, ok := knownHosts()[strings.ToLower(strings.TrimSuffix(host, "."))]
	return p, ok
}
