package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// call is what a program stores about a call.
type call struct {
	provider discovery.Provider
	model    string
	mode     string
	at       time.Time
	usage    discovery.Usage
}

// The calls are from firstDay to before lastDay. Prices change in between.
var (
	firstDay = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
)

// generate makes calls up: of every model in the price table and of one that is not in it, at any time, with prompts of any
// length and often right at the beginning of a tier.
func generate(n int, seed uint64) []call {
	var models []call
	lengths := []int64{0}
	for _, provider := range discovery.Providers() {
		for _, row := range discovery.BuiltInPrices().Rows(provider) {
			models = append(models, call{provider: provider, model: row.ModelHint})
			lengths = append(lengths, row.TierThresholdTokens)
		}
		models = append(models, call{provider: provider, model: "a-model-of-tomorrow"})
	}
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	random := rand.New(rand.NewPCG(seed, 0))
	calls := make([]call, n)
	for i := range calls {
		c := models[random.IntN(len(models))]
		c.at = firstDay.Add(time.Duration(random.Int64N(int64(lastDay.Sub(firstDay))))).Truncate(time.Microsecond)
		c.usage = usage(random, lengths)
		if c.provider != discovery.Gemini && c.provider != discovery.DeepSeek && random.IntN(10) == 0 {
			c.mode = "batch" // also of xAI, whose price of a batch is not known
		}
		calls[i] = c
	}
	return calls
}

// usage makes up the usage of a call. Half of the prompts begin or end a tier.
func usage(random *rand.Rand, lengths []int64) discovery.Usage {
	u := discovery.Usage{Output: random.Int64N(20_000)}
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
