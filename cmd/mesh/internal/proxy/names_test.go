package proxy

import (
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// The authority must cover every kind of host that a Meter knows. Otherwise --intercept
// would leave calls uncounted.
func TestOfficialHostsCanBeCertified(t *testing.T) {
	t.Parallel()
	h := newHostTable(nil)
	for _, host := range []string{
		"api.openai.com", "eu.api.openai.com:443", "chatgpt.com", "api.anthropic.com", "api.deepseek.com", "generativelanguage.googleapis.com",
		"us-east-1.api.x.ai", "openrouter.ai", "r.openai.azure.com", "r.services.ai.azure.com", "r.cognitiveservices.azure.com",
		"bedrock-runtime.us-west-2.amazonaws.com", "bedrock-runtime-fips.us-west-2.amazonaws.com", "bedrock-runtime.eu-central-1.api.aws",
		"bedrock-runtime-fips.us-east-1.api.aws", "bedrock-mantle.us-east-1.api.aws", "aws-external-anthropic.us-west-2.api.aws",
		"aiplatform.googleapis.com", "aiplatform.eu.rep.googleapis.com", "us-east5-aiplatform.googleapis.com",
	} {
		_, known := meter.HostProvider(host)
		assert.True(t, known, host)
		assert.True(t, h.has(host), host)
	}
	for _, host := range []string{
		"example.com", "bedrock.us-east-1.amazonaws.com", "s3.us-east-1.api.aws", "bedrock-runtime.xx-new-1.api.aws", "status.chatgpt.com",
		"www.openrouter.ai", "openai.azure.com", "a.b.openai.azure.com", "xx.api.openai.com", "com", "",
	} {
		assert.False(t, h.has(host), host)
	}
}

// A Meter knows every host in the table, except for those from --host.
func TestEveryHostOfTheTableIsKnown(t *testing.T) {
	t.Parallel()
	for host := range newHostTable(nil) {
		_, known := meter.HostProvider(strings.Replace(host, "*", "resource", 1))
		assert.True(t, known, host)
	}
	for host := range remedies {
		_, known := meter.HostProvider(host)
		assert.False(t, known, host)
	}
}

func TestHostsOfTheFlagHaveTheirPorts(t *testing.T) {
	t.Parallel()
	h := newHostTable([]string{"localhost:11434", "LLM.example.com", "[::1]:8443", "10.0.0.1"})
	for _, host := range []string{"localhost:11434", "llm.example.com", "llm.example.com:8080", "LLM.EXAMPLE.COM.:1", "[::1]:8443", "10.0.0.1", "10.0.0.1:9"} {
		assert.True(t, h.has(host), host)
	}
	for _, host := range []string{"localhost", "localhost:3000", "a.llm.example.com", "::1", "[::1]:443", "10.0.0.2"} {
		assert.False(t, h.has(host), host)
	}
}

// addresses returns random hosts with ports: some from the table, others changed in a
// label, a letter or the port.
func addresses(h hostTable) (list []string) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for host := range h {
		host = strings.Replace(nameOf(host), "*", pick("resource", "a-1", "a.b"), 1)
		for range 4 {
			if net.ParseIP(host) != nil {
				break // an IP address has no subdomains
			}
			name := pick("", "", "", "www.", "x", "status.") + host + pick("", "", "", ".", ".com", "x")
			list = append(list, name+":"+pick("443", "443", "8443", "11434", "80"), strings.ToUpper(name)+":443")
		}
	}
	return list
}
