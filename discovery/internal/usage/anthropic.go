package usage

import (
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var anthropicMessages = shape{
	required: []field{inputTokens, outputTokens},
	optional: []field{cacheCreation, cacheRead, ephemeral5m, ephemeral1h, thinkingTokens},
	counts:   (*counts).anthropic,
}

// anthropicShape: the endpoint that is compatible with OpenAI has its counts.
func anthropicShape(c *counts) *shape {
	if c.has(promptTokens) {
		return &anthropicCompatible
	}
	return &anthropicMessages
}

var anthropicCompatible = shape{
	required: []field{promptTokens, completionTokens},
	optional: []field{totalTokens, cachedTokens, reasoningTokens},
	counts:   func(c *counts) (Usage, error) { return c.openAI(promptTokens, completionTokens) },
}

// anthropic: the input excludes cache reads and writes, and the output includes thinking. Writes that aren't
// broken down, as after a web search, are for five minutes.
func (c *counts) anthropic() (Usage, error) {
	err := c.within(outputTokens, thinkingTokens)
	u := Usage{Input: c.value[inputTokens], CacheRead: c.value[cacheRead], Output: c.value[outputTokens], CacheWrite5m: c.value[cacheCreation]}
	if c.has(ephemeral5m) || c.has(ephemeral1h) {
		u.CacheWrite5m, u.CacheWrite1h = c.value[ephemeral5m], c.value[ephemeral1h]
		if rest := c.value[cacheCreation] - u.CacheWrite5m - u.CacheWrite1h; rest > 0 {
			u.CacheWrite5m += rest
		} else {
			err = first(err, c.sum(cacheCreation, ephemeral5m, ephemeral1h))
		}
	}
	if c.iterations == nil {
		return u, err
	}
	return u, first(err, c.addIterations(&u))
}

// Writes are cache writes by lifetime, and their sum.
type Writes struct{ FiveMinutes, Hour, Sum int64 }

// CacheWrites returns the cache writes of an object of Anthropic. It reports whether the object is valid and has both.
func CacheWrites(object []byte) (w Writes, ok bool) {
	var r Reader
	var d jsonread.Decoder
	d.Reset(object)
	c := &r.counts
	ok = r.Read(&d) == nil && c.wrong == nil && c.has(cacheCreation) && (c.has(ephemeral5m) || c.has(ephemeral1h))
	return Writes{c.value[ephemeral5m], c.value[ephemeral1h], c.value[cacheCreation]}, ok
}
