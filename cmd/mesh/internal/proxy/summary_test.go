package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	s := proxy.NewSummary()
	openAI := []byte(`{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":200}}`)
	for _, r := range []meter.Record{
		{Provider: discovery.OpenAI, Model: "gpt-4o", Usage: openAI, USD: "0.1"},
		{Provider: discovery.OpenAI, Model: "gpt-4o", Usage: openAI, USD: "0.2"},
		{Provider: discovery.OpenAI, Model: "gpt-4o", USD: "0", Status: 429},
		{Provider: discovery.OpenAI, Unpriced: "speech has no counts"},
		{Provider: discovery.OpenAI, Unpriced: "speech has no counts"},
		{Provider: discovery.Anthropic, Model: "claude\x1b[31m", Unpriced: "a\nb"},
	} {
		s.Record(r)
	}
	var text strings.Builder
	require.NoError(t, s.Write(&text, "0.3"))
	assert.NotContains(t, text.String(), "\x1b")
	lines := strings.Split(text.String(), "\n")
	require.Len(t, lines, 9)
	for i, want := range []string{
		"MODEL CALLS INPUT OUTPUT USD UNPRICED",
		"", // with the control character replaced
		"openai/? 2 0 0 0 2",
		"openai/gpt-4o 3 2000 1000 0.3 0",
		"total 6 2000 1000 0.3 3",
	} {
		if want != "" {
			assert.Equal(t, want, strings.Join(strings.Fields(lines[i]), " "))
		}
	}
	assert.Equal(t, "unpriced: 2 of openai/?: speech has no counts", lines[6])
	assert.Equal(t, "failed: 1 of openai/gpt-4o: the answer was status 429", lines[7])
	assert.True(t, strings.HasPrefix(lines[5], "unpriced: 1 of anthropic/claude"), lines[5])
}

func TestSummaryWithoutCalls(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	require.NoError(t, proxy.NewSummary().Write(&text, "0"))
	assert.Regexp(t, `^mesh: meter: no calls were counted; those to OPENAI_BASE_URL, .* are\n$`, text.String())
}
