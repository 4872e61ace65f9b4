package scan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/test/linear"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
	"github.com/mesh-gateway/mesh-go/scan"
)

func TestHostileInputsAreLinear(t *testing.T) {
	s := scan.New(scan.WithExtendedRules(), scan.WithLiveToken(liveToken))
	for i, in := range slices.Concat(hostileInputs, extendedHostile) {
		if i%whole.Cases(1, 4) != 0 {
			continue
		}
		t.Run(in.name, func(t *testing.T) {
			linear.Check(t, func(size int) func() {
				content := in.make(t, size)
				return func() {
					s.Find(content)
					found := len(s.FindAll(content)) > 0
					assert.Equal(t, found, s.Redact(content) != content)
				}
			})
		})
	}
}

// extendedHostile are hostile inputs for the extended rules and for Redact, which cuts
// runs.
var extendedHostile = []input{
	{"pem-begin", repeated("-----BEGIN PRIVATE KEY-----")},
	{"pem-begin-then-wrong-end", ending("-----BEGIN PRIVATE KEY----- ", "-----END CERTIFICATE-----")},
	{"pem-end", repeated("-----END PRIVATE KEY-----")},
	{"pem-both", repeated("-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----")},
	{"pem-label", repeated("-----BEGIN RSA RSA RSA RSA RSA RSA RSA RSA RSA RSA")},
	{"ya29-dots", repeated("ya29.")},
	{"ya29-then-dots", func(_ testing.TB, size int) string { return "ya29.ya29." + strings.Repeat(".", size-10) }},
	{"ghs-dashes", repeated("ghs_-")},
	{"AQ-dots", repeated("AQ.")},
	{"glued-AKIA", repeated(made("AKIA", "Z", 16))},
	{"glued-AKIA-eyJ", repeated(made("AKIA", "Z", 16) + "eyJ")},
	{"glued-AIza-secret", ending(made("AIza", "a", 35)+made("", "b", 40), " aws")},
	{"base64-aws", func(t testing.TB, size int) string { return base64Text(t, size-4) + " aws" }},
	{"one-run-aws", ending("a", " aws")},
}

func TestCleanContentDoesNotAllocate(t *testing.T) {
	t.Setenv("MESH_GATEWAY_TOKEN", liveToken)
	s := scan.New(scan.WithExtendedRules(), scan.WithLiveToken(liveToken), scan.WithLiveToken(shortToken))
	for _, in := range cleanInputs {
		content := in.make(t, 10_000)
		assert.Zero(t, testing.AllocsPerRun(10, func() { scan.Find(content) }), in.name)
		assert.Zero(t, testing.AllocsPerRun(10, func() { s.Find(content) }), in.name)
	}
}

// A key is found at every position relative to the windows.
func TestEveryPosition(t *testing.T) {
	key := made("AKIA", "Z", 16)
	for before := range 60 {
		for after := range 30 {
			content := strings.Repeat(" ", before) + key + strings.Repeat(" ", after)
			assert.Equal(t, hit{9, before, before + 20}, find(content))
			content = strings.Repeat("a.", before) + key + strings.Repeat("é", after)
			assert.Equal(t, hit{9, 2 * before, 2*before + 20}, find(content))
			content = made(strings.Repeat(" ", after), "a", before) + " " + key + " " // behind another run
			assert.Equal(t, hit{9, after + before + 1, after + before + 21}, find(content))
		}
	}
}
