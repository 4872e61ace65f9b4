package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// call has the fields that a program stores for each call.
type call struct {
	provider models.Provider
	model    string
	mode     string
	at       time.Time
	usage    prices.Usage
}

// Calls are made from firstDay until lastDay (exclusive). Prices change in between.
var (
	firstDay = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
)

// generate invents calls, with any model in the price table and one that isn't in it, at
// any time. Prompts have any length, often right at a tier's start.
func generate(n int, seed uint64) []call {
	var known []call
	lengths := []int64{0}
	for _, provider := range models.Providers() {
		for _, row := range prices.BuiltIn().Rows(provider) {
			known = append(known, call{provider: provider, model: row.ModelHint})
			lengths = append(lengths, row.TierThresholdTokens)
		}
		known = append(known, call{provider: provider, model: "a-model-of-tomorrow"})
	}
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	random := rand.New(rand.NewPCG(seed, 0))
	calls := make([]call, n)
	for i := range calls {
		c := known[random.IntN(len(known))]
		c.at = firstDay.Add(time.Duration(random.Int64N(int64(lastDay.Sub(firstDay))))).Truncate(time.Microsecond)
		c.usage = usage(random, lengths)
		if c.provider != models.Gemini && c.provider != models.DeepSeek && random.IntN(10) == 0 {
			c.mode = "batch" // including xAI, whose batch price is unknown
		}
		calls[i] = c
	}
	return calls
}

// usage invents a call's usage. Half of the prompts start or end a tier.
func usage(random *rand.Rand, lengths []int64) prices.Usage {
	u := prices.Usage{Output: random.Int64N(20_000)}
	prompt := random.Int64N(400_000)
	if random.IntN(2) == 0 {
		prompt = max(0, lengths[random.IntN(len(lengths))]+random.Int64N(3)-1)
	}
	for _, part := range []struct {
		tokens *int64
		chance int // in percent
	}{{&u.CacheRead, 40}, {&u.CacheWrite5m, 5}, {&u.CacheWrite1h, 2}} {
		if prompt > 0 && random.IntN(100) < part.chance {
			*part.tokens = random.Int64N(prompt) + 1
			prompt -= *part.tokens
		}
	}
	u.Input = prompt
	if random.IntN(20) == 0 {
		u.ToolInput = random.Int64N(300_000)
	}
	return u
}
