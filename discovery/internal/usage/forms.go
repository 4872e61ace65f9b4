package usage

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Forms that aren't named after one of the five providers.
const (
	// Converse is Bedrock's Converse.
	Converse = "converse"
	// Invoke is InvokeModel, whose form depends on the model's vendor.
	Invoke = "invoke"
	// Cohere and Ollama are their own APIs.
	Cohere = "cohere"
	Ollama = "ollama"
)

// Forms lists the forms that aren't named after a provider.
var Forms = []string{Converse, Invoke, Cohere, Ollama}

// cohere bills other counts than the model's tokens.
var cohere = shape{
	required: setOf(billedInput),
	optional: setOf(billedOutput, cachedTokens),
	counts: func(c *counts) (Usage, error) {
		return Usage{Input: c.value[billedInput], Output: c.value[billedOutput]}, nil
	},
}

// ollama omits a count of 0.
var ollama = shape{
	optional: setOf(promptEval, answerEval),
	counts: func(c *counts) (Usage, error) {
		if !c.has(promptEval) && !c.has(answerEval) {
			return Usage{}, &Error{names[promptEval], "is missing"}
		}
		return Usage{Input: c.value[promptEval], Output: c.value[answerEval]}, nil
	},
}

// Vendor returns the form for InvokeModel, whose counts tell Anthropic and OpenAI apart.
func Vendor(inputTokens, promptTokens bool) string {
	switch {
	case inputTokens:
		return "anthropic"
	case promptTokens:
		return "openai"
	}
	return Converse
}

// members returns up to four member names for an error, or "" if none can be shown.
func members(object []byte) string {
	const most = 4
	var d jsonread.Decoder
	d.Reset(object)
	var found []string
	_ = eachMember(&d, "usage", func(key []byte) error {
		if name := string(key); identifier(name) && len(found) < most && !slices.Contains(found, name) {
			found = append(found, name)
		}
		return d.Skip()
	})
	return strings.Join(found, ", ")
}

// converse is for Converse, and for InvokeModel's metrics.
var converse = shape{
	required: setOf(converseInput, converseOutput),
	optional: setOf(converseTotal, converseRead, converseWrite, converse5m, converse1h),
	counts:   (*counts).converse,
}

// The input excludes cache reads and writes, and the total includes them. Writes without
// a lifetime are for five minutes.
func (c *counts) converse() (Usage, error) {
	u := Usage{Input: c.value[converseInput], CacheRead: c.value[converseRead], CacheWrite5m: c.value[converseWrite], Output: c.value[converseOutput]}
	if c.has(converseTotal) && c.value[converseTotal] != u.Input+u.CacheRead+u.CacheWrite5m+u.Output {
		return u, &Error{names[converseTotal], "is not the sum of its parts"}
	}
	if rest := u.CacheWrite5m - c.value[converse5m] - c.value[converse1h]; rest < 0 {
		return u, &Error{"cacheDetails", "have more than " + names[converseWrite]}
	}
	u.CacheWrite5m, u.CacheWrite1h = u.CacheWrite5m-c.value[converse1h], c.value[converse1h]
	return u, nil
}

// cacheDetail reads an entry such as {"ttl": "1h", "inputTokens": 7}.
func (c *counts) cacheDetail(d *jsonread.Decoder) error {
	lifetime, n, err := entry(d, "cacheDetails", "ttl", "inputTokens")
	switch {
	case err != nil || n == 0:
		return err
	case lifetime == "5m":
		return c.addCount(converse5m, n)
	case lifetime == "1h":
		return c.addCount(converse1h, n)
	}
	c.addMode(unknownName("cache_write_" + lifetime))
	return nil
}
