package modelid

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

// Owns reports whether an id, in any of the provider's spellings, has the form of the provider's own ids.
func (d *Dialect) Owns(id string) bool {
	trimmed := strings.TrimSpace(id)
	return d.accepts(trimmed) && d.owned().MatchString(Last(d.Spellings(trimmed)))
}

// The beginnings of the providers' ids.
var (
	openAIOwned = lazy.Regexp(`^(?:ft[-:])?(?:gpt|chatgpt|chat|codex|o\d|dall-e|davinci|babbage|curie|ada|sora|tts|whisper` +
		`|computer-use|omni-moderation|text-embedding-(?:3|ada)|text-moderation|text-(?:search-|similarity-)?(?:davinci|curie|babbage|ada)` +
		`|code-(?:davinci|cushman|search))(?:-|$)`)
	deepSeekOwned  = lazy.Regexp(`^deepseek-`)
	anthropicOwned = lazy.Regexp(`^claude-`)
	geminiOwned    = lazy.Regexp(`^(?:gemini|gemma|imagen|veo|lyria|learnlm|aqa|embedding|text-embedding-0\d\d)(?:-|$)`)
	xaiOwned       = lazy.Regexp(`^grok-`)
)
