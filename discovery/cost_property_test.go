package discovery_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// CostOf agrees with plain fractions over the rows of the list, for random calls of random days.
func TestCostOfAgreesWithPlainFractions(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	known := 0
	for _, p := range discovery.Providers() {
		rows := discovery.BuiltInPrices().Rows(p)
		for range 2_000 {
			u := discovery.Usage{
				Input: random.Int64N(400_000), ToolInput: random.Int64N(3) * random.Int64N(5_000), Output: random.Int64N(100_000),
				CacheRead: random.Int64N(2) * random.Int64N(200_000), CacheWrite5m: random.Int64N(4) / 3 * random.Int64N(10_000), CacheWrite1h: random.Int64N(4) / 3 * random.Int64N(10_000),
			}
			model := rows[random.IntN(len(rows))].ModelHint
			at := time.Date(2026, 1, 1, random.IntN(24*500), random.IntN(60), 0, 0, time.UTC)
			cost, err := discovery.BuiltInPrices().CostOf(discovery.Call{Provider: p, Model: model, Usage: u, At: at})
			want := plainCost(rows, model, u, at)
			require.Equal(t, want == nil, errors.Is(err, discovery.ErrUnpriced), "%s %s %v %v", p, model, at, u)
			if want == nil {
				require.Zero(t, cost)
				continue
			}
			known++
			exact, ok := new(big.Rat).SetString(cost.Exact)
			require.True(t, ok)
			require.Zero(t, want.Cmp(exact), "%s %s %v %v: %s, want %s", p, model, at, u, cost.Exact, want.FloatString(20))
			nearest, _ := want.Float64()
			require.InDelta(t, nearest, cost.USD, 0)
			sum := new(big.Rat)
			for _, line := range cost.Lines {
				part, _ := new(big.Rat).SetString(line.USD)
				price, _ := new(big.Rat).SetString(line.USDPerMTok)
				require.Zero(t, part.Cmp(price.Mul(price, big.NewRat(line.Tokens, 1_000_000))))
				sum.Add(sum, part)
			}
			require.Zero(t, sum.Cmp(exact), "the lines add up")
		}
	}
	assert.Greater(t, known, 3_000)
}

// plainCost is CostOf for standard calls, without its index, its tiers and its arithmetic; nil is not known.
func plainCost(rows []discovery.ProviderPricing, model string, u discovery.Usage, at time.Time) *big.Rat {
	day := at.UTC().Format(time.DateOnly)
	var best *discovery.ProviderPricing
	for i, r := range rows {
		inForce := (r.ValidFrom == nil || *r.ValidFrom <= day) && (r.ValidUntil == nil || day < *r.ValidUntil)
		if r.ModelHint == model && inForce && u.Input+u.CacheRead+u.CacheWrite5m+u.CacheWrite1h >= r.TierThresholdTokens && (best == nil || r.TierThresholdTokens > best.TierThresholdTokens) {
			best = &rows[i]
		}
	}
	if best == nil || best.InputPerMTok == nil {
		return nil
	}
	total := new(big.Rat)
	for _, part := range []struct {
		tokens int64
		usd    *float64
	}{
		{u.Input, best.InputPerMTok}, {u.ToolInput, best.InputPerMTok}, {u.CacheRead, best.CacheReadPerMTok},
		{u.CacheWrite5m, best.CacheWrite5mPerMTok}, {u.CacheWrite1h, best.CacheWrite1hPerMTok}, {u.Output, best.OutputPerMTok},
	} {
		if part.tokens == 0 {
			continue
		}
		if part.usd == nil {
			return nil
		}
		price, _ := new(big.Rat).SetString(fmt.Sprint(*part.usd))
		total.Add(total, price.Mul(price, big.NewRat(part.tokens, 1_000_000)))
	}
	if best.Provider == discovery.DeepSeek && (best.ValidUntil == nil || *best.ValidUntil > "2026-08-17") {
		if day < "2026-08-17" {
			return nil
		}
		hour := at.UTC().Hour()
		peak := hour >= 1 && hour < 4 || hour >= 6 && hour < 10
		if weekday := at.UTC().Weekday(); !peak || weekday == time.Saturday || weekday == time.Sunday {
			total.Quo(total, big.NewRat(2, 1))
		}
	}
	return total
}
