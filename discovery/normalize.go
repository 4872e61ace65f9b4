package discovery

import "github.com/mesh-gateway/mesh-go/discovery/internal/modelid"

// NormalizeModelID returns the id under which the provider itself knows a model, without vendor prefix, platform suffix
// and build: "openai/o3-mini-2025-01-31" is "o3-mini", "x-ai/grok-4-5" is "grok-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0"
// is "claude-opus-4-5". It carries out normalize_model_id of SPEC.md with the tables of WIRE.md section 11.
//
// The result is in lower case, its blanks are hyphens, it is never longer than id, and normalizing it again changes nothing.
// It is never empty and never a mere stem like "grok", unless id is: what would end so is returned trimmed and as it is. An
// id of an unknown provider, or of more than 256 bytes, is trimmed and otherwise unchanged.
//
// A real id without a build stays what it is, also where it looks as if it had one: the 1 of grok-4-1-fast, the 001 of
// gemini-embedding-001, the v4 of deepseek-v4-pro, the latest of claude-opus-latest and the dot of claude-2.1 are part of
// the id. Two ids become shorter names of the same model: deepseek-v4.1-flash is deepseek-flash, and deepseek/deepseek-r1
// the deepseek-reasoner it was served as (deepseek-r1 by itself stays, for it would become longer).
//
// An id without its build can have another price, other limits and another retirement date. Look up the id as it is first.
//
// It is safe for concurrent use.
func NormalizeModelID(p Provider, id string) string { return dialect(p).Normalize(id) }

// NormalizeXAIModelID is [NormalizeModelID] for [XAI]: it strips the vendor prefix, -beta, -latest and dated builds
// (-07-09 as the source document has it, and -0709 as xAI writes it).
func NormalizeXAIModelID(id string) string { return NormalizeModelID(XAI, id) }

// NormalizeDeepSeekModelID is [NormalizeModelID] for [DeepSeek]: it strips the vendor prefix and version suffixes like -v3.1
// and -v3.2-terminus, the latter only where a real id is left.
func NormalizeDeepSeekModelID(id string) string { return NormalizeModelID(DeepSeek, id) }

// dialect returns the spelling rules of a provider; nil, whose methods accept no id, for an unknown one.
func dialect(p Provider) *modelid.Dialect {
	if row := lookupProvider(string(p)); row != nil {
		return row.ids
	}
	return nil
}
