package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// call is what a program stores about a call.
type call struct {
	provider models.Provider
	model    string
	mode     string
	at       time.Time
	usage    prices.Usage
}

// The calls are from firstDay to before lastDay. Prices change in between.
var (
	firstDay = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
)

// generate makes calls up: of every model in the price table and of one that is not in it, at any time, with prompts of any
// length and often right at the beginning of a tier.
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
			c.mode = "batch" // also of xAI, whose price of a batch is not known
		}
		calls[i] = c
	}
	return calls
}

// usage makes up the usage of a call. Half of the prompts begin or end a tier.
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
