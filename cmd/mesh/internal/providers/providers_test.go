package providers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestErrorsNameTheWrongPart(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, model, want string }{
		{"opneai", "", `unknown provider "opneai"; did you mean openai?`},
		{"Antropic", "gpt-5.2", `unknown provider "Antropic"; did you mean anthropic?`},
		{"opneai/gpt-5", "", `unknown provider "opneai"; did you mean openai?`},
		{"nobody", "", `unknown provider "nobody"; specify openai, deepseek, anthropic, gemini or xai`},
		{"gpt-5", "", `"gpt-5" is a model, not a provider`},
		{"openai/gpt-5", "", `"openai/gpt-5" is a model, not a provider`},
		{"", "opneai/gpt-5", `unknown provider "opneai" of "opneai/gpt-5"; did you mean openai?`},
		{"", "nobody/gpt-5", `unknown provider "nobody" of "nobody/gpt-5"; specify openai, deepseek, anthropic, gemini or xai`},
		{"", "openai", `"openai" is a provider, not a model`},
		{"", "anthropic/gpt-5.2", "gpt-5.2 is a model of openai, not of anthropic"},
		{"", "no-such-model", `unknown provider for "no-such-model"; specify openai, deepseek, anthropic, gemini or xai`},
	} {
		_, err := providers.Priced(prices.BuiltIn(), models.Retirements(), row.name, row.model)
		require.EqualError(t, err, row.want)
	}
	assert.EqualError(t, providers.Unlisted(prices.BuiltIn(), models.Retirements(), models.Anthropic, "gpt-5.2"), "gpt-5.2 is a model of openai, not of anthropic")
}
