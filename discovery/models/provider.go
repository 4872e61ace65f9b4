package models

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
)

// Provider is a company that offers models. Functions accept every spelling that
// [ParseProvider] accepts; results contain one of the constants.
type Provider string

// The providers.
const (
	OpenAI    Provider = "openai"
	DeepSeek  Provider = "deepseek"
	Anthropic Provider = "anthropic"
	Gemini    Provider = "gemini"
	XAI       Provider = "xai"
)

// Providers returns all providers, in a fixed order.
func Providers() []Provider {
	all := make([]Provider, len(modelid.Providers()))
	for i, p := range modelid.Providers() {
		all[i] = Provider(p.ID)
	}
	return all
}

// ParseProvider returns the provider with that name: its own ("openai"), a developer in
// the catalog ("Open AI", "DeepSeek AI", "Google"), a model id prefix ("x-ai"), or
// "claude" and "grok". Case, spaces, hyphens, underscores and dots are ignored. Any
// other name is a [*ValueError].
func ParseProvider(provider string) (Provider, error) {
	if p := modelid.Lookup(provider); p != nil {
		return Provider(p.ID), nil
	}
	return "", invalid("provider", provider, modelid.Unknown())
}

// ProviderOf returns a model's provider from its id alone, in any spelling: "gpt-4o",
// "x-ai/grok-3", "us.anthropic.claude-opus-4-5-20251101-v1:0". It returns false if the
// id looks like no provider's. The model need not exist.
func ProviderOf(model string) (Provider, bool) {
	if p := modelid.OwnerOf(model); p != nil {
		return Provider(p.ID), true
	}
	return "", false
}

// NormalizeModelID returns the provider's own id for a model, without vendor prefix,
// platform suffix and build: "openai/o3-mini-2025-01-31" is "o3-mini", "x-ai/grok-4-5"
// is "grok-4.5". docs/providers.md, "Model names", has the rules.
//
// Without its build an id may have another price, other limits and another retirement
// date. Look up the original id first.
//
// The result is in lower case, never longer than id, and never empty unless id is.
// Normalizing it again changes nothing. In these cases id is only trimmed:
//   - Only a vendor or family name would remain.
//   - The provider is unknown.
//   - id has more than 256 bytes.
func NormalizeModelID(p Provider, id string) string { return modelid.RulesOf(p).Normalize(id) }
