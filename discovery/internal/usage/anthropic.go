package usage

import (
	"strings"

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

// anthropic: the input excludes what was read from and written to the cache, and the output includes thinking. Writes that are
// not broken down, as after a web search, are writes for five minutes. The counts of a compaction are in none of these and are added.
// A compaction is a request of its own, but its counts also add to the length of the prompt that selects the price tier (docs/providers.md, "What is not known").
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
	return u, first(err, u.add(&c.compaction))
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

// add adds the counts of another object. A sum has the bound of a single count.
func (u *Usage) add(more *Usage) error {
	for _, sum := range [...]struct{ to, more *int64 }{
		{&u.Input, &more.Input}, {&u.CacheRead, &more.CacheRead}, {&u.CacheWrite5m, &more.CacheWrite5m},
		{&u.CacheWrite1h, &more.CacheWrite1h}, {&u.Output, &more.Output},
	} {
		if *sum.to += *sum.more; *sum.to > maxTokens {
			return &Error{"iterations", "has a sum that is too large"}
		}
	}
	return nil
}

// iteration reads an entry of iterations. The counts of a compaction are not in those of the object itself. Nor are those of an
// advisor, which is another model, and after a fallback the entries are of several models.
func (c *counts) iteration(d *jsonread.Decoder) error {
	var entry counts
	kind := ""
	err := eachMember(d, "iterations", func(key []byte) (err error) {
		if string(key) != "type" {
			return inside("iterations", entry.member(d, top, key))
		}
		kind, err = text(d, "iterations")
		return err
	})
	switch {
	case err != nil, kind == "", kind == "message":
		return err
	case kind != "compaction":
		c.addMode(otherModel)
		return nil
	}
	return c.addCompaction(&entry)
}

func (c *counts) addCompaction(entry *counts) error {
	more, err := anthropicMessages.usage(entry)
	if err != nil {
		return inside("iterations", err)
	}
	for _, mode := range entry.modes {
		if strings.HasPrefix(mode, unknownCount) {
			c.addMode(mode)
		}
	}
	return c.compaction.add(&more)
}
