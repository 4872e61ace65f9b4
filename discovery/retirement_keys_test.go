package discovery_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery"
)

//go:embed testdata/retirement_keys.txt
var retirementKeys string

// Importers look models up by these keys, so a released key is never removed. The dates may change. New keys are added to the
// file by hand. The only key that was removed is deepseek/deepseek-v4-pro, because its provider
// withdrew its date.
func TestRetirementKeysAreNeverRemoved(t *testing.T) {
	t.Parallel()
	registry := discovery.Retirements()
	assert.GreaterOrEqual(t, strings.Count(retirementKeys, "\n"), 302, "keys are only ever added to the file")
	for line := range strings.Lines(retirementKeys) {
		provider, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "/")
		_, ok := registry[discovery.ModelKey{Provider: discovery.Provider(provider), ID: id}]
		assert.True(t, ok, "%s/%s was removed", provider, id)
	}
}
