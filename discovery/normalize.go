package discovery

import "github.com/mesh-gateway/mesh-go/discovery/internal/modelid"

// NormalizeModelID returns the id that the provider itself uses for a model, without vendor prefix, platform suffix and build:
// "openai/o3-mini-2025-01-31" is "o3-mini", "x-ai/grok-4-5" is "grok-4.5". docs/providers.md, "Model names", has the rules.
//
// The result is in lower case, never longer than id, never empty unless id is, and normalizing it again changes nothing. If only
// a vendor or family name would remain, id is returned trimmed; so is an id of an unknown provider or of more than 256 bytes.
//
// Without its build an id may have another price, other limits and another retirement date. Look up the original id first.
func NormalizeModelID(p Provider, id string) string { return dialect(p).Normalize(id) }

// NormalizeXAIModelID is [NormalizeModelID] for [XAI].
func NormalizeXAIModelID(id string) string { return NormalizeModelID(XAI, id) }

// NormalizeDeepSeekModelID is [NormalizeModelID] for [DeepSeek].
func NormalizeDeepSeekModelID(id string) string { return NormalizeModelID(DeepSeek, id) }

// dialect returns the spelling rules of a provider; nil, whose methods accept no id, for an unknown one.
func dialect(p Provider) *modelid.Dialect {
	if row := lookupProvider(string(p)); row != nil {
		return row.ids
	}
	return nil
}
