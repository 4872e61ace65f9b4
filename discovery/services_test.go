package discovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestDevelopedBy(t *testing.T) {
	t.Parallel()
	for owner, names := range map[models.Provider][]string{models.OpenAI: {"OpenAI", "Open AI"}, models.Gemini: {"Google", "google"}, models.XAI: {"x-ai", "grok"}} {
		for _, name := range names {
			for _, p := range models.Providers() {
				assert.Equal(t, p == owner, discovery.DevelopedBy(p, name), "%s developed by %s", name, p)
			}
		}
	}
	assert.False(t, discovery.DevelopedBy("Meta", "Meta"), "an unknown provider develops nothing")
	assert.True(t, discovery.DevelopedBy("Google", "google"), "any spelling of the provider is accepted")
}
