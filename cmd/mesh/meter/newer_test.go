package meter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/caller"
)

func TestMeterWarnsOnceOfANewModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"gpt-7-sol":                      1, // of two calls
		"gpt-4o-2099-01-02":              1, // a new build
		"gpt-4o":                         0,
		"whisper-1":                      0, // known, without a price
		"ft:gpt-4o-2024-08-06:acme::1":   0,
		"a-model-of-nobody":              0,
		"gpt-3.5-turbo-instruct:2023-v2": 0,
	} {
		s, flags := caller.StartProviders(t)
		s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Model: model})
		_, stderr, status := runMeter(t, append(flags, "--", "caller", "chat", "chat")...)
		assert.Equal(t, 0, status)
		assert.Equal(t, want, strings.Count(stderr, "warning: openai/"+model+" is not in the price table of 2026-"), stderr)
		assert.Equal(t, want, strings.Count(stderr, "mesh prices --update"), stderr)
	}
}
