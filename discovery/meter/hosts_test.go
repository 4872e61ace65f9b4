package meter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestHostProvider(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]models.Provider{
		"api.openai.com": models.OpenAI, "EU.api.openai.com:443": models.OpenAI, "api.anthropic.com.": models.Anthropic,
		"chatgpt.com:443": models.OpenAI, "generativelanguage.googleapis.com:443": models.Gemini, "api.deepseek.com": models.DeepSeek, "us-east-1.api.x.ai": models.XAI,
	} {
		p, ok := meter.HostProvider(host)
		assert.True(t, ok, host)
		assert.Equal(t, want, p, host)
	}
	for _, host := range []string{"", "openai.com", "api.openai.com.example.com", "xapi.openai.com", "[::1]:443", "127.0.0.1", "https://api.openai.com"} {
		_, ok := meter.HostProvider(host)
		assert.False(t, ok, host)
	}
}
