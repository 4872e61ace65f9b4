package models

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
)

// Provider is a company that offers models. Functions that take a Provider accept every spelling that [ParseProvider] accepts;
// results contain one of the constants.
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

// ParseProvider returns the provider of that name: its own ("openai"), a developer of the catalog ("Open AI", "DeepSeek AI",
// "Google"), a prefix of model ids ("x-ai"), or "claude" and "grok". Case, blanks, hyphens, underscores and dots are ignored.
// Any other name is a [*ValueError].
func ParseProvider(provider string) (Provider, error) {
	if p := modelid.Lookup(provider); p != nil {
		return Provider(p.ID), nil
	}
	return "", invalid("provider", provider, modelid.Unknown())
}

// ProviderOf returns the provider of a model, from its id alone, in any spelling: "gpt-4o", "x-ai/grok-3",
// "us.anthropic.claude-opus-4-5-20251101-v1:0". It returns false if the id does not have the form of any provider's ids. The
// model need not exist.
func ProviderOf(model string) (Provider, bool) {
	if p := modelid.OwnerOf(model); p != nil {
		return Provider(p.ID), true
	}
	return "", false
}

// NormalizeModelID returns the id that the provider itself uses for a model, without vendor prefix, platform suffix and build:
// "openai/o3-mini-2025-01-31" is "o3-mini", "x-ai/grok-4-5" is "grok-4.5". docs/providers.md, "Model names", has the rules.
//
// The result is in lower case, never longer than id, never empty unless id is, and normalizing it again changes nothing. If only
// a vendor or family name would remain, id is returned trimmed; so is an id of an unknown provider or of more than 256 bytes.
//
// Without its build an id may have another price, other limits and another retirement date. Look up the original id first.
func NormalizeModelID(p Provider, id string) string { return modelid.RulesOf(p).Normalize(id) }

// NormalizeXAIModelID is [NormalizeModelID] for [XAI].
func NormalizeXAIModelID(id string) string { return NormalizeModelID(XAI, id) }

// NormalizeDeepSeekModelID is [NormalizeModelID] for [DeepSeek].
func NormalizeDeepSeekModelID(id string) string { return NormalizeModelID(DeepSeek, id) }
