package prices_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func cost(p models.Provider, model, exact string) *prices.Cost {
	return &prices.Cost{Provider: p, Model: model, USD: exact}
}

func TestLedgerAddsByDayAndModel(t *testing.T) {
	t.Parallel()
	l := prices.NewLedger()
	first := time.Date(2026, 11, 20, 23, 59, 59, 0, time.UTC)
	next := first.Add(time.Second)
	l.Add(next, cost(models.OpenAI, "gpt-5.4", "0.1"))
	l.Add(first, cost(models.OpenAI, "gpt-5.4", "0.1"))
	l.Add(first.In(time.FixedZone("Tokyo", 9*3600)), cost(models.OpenAI, "gpt-5.4", "0.2"))
	l.Add(first, cost(models.XAI, "grok-4.7", "1"))
	l.Add(next, nil)
	assert.Equal(t, []prices.LedgerDay{
		{Day: "2026-11-20", USD: "1.3", FeesUSD: "0", ByModel: map[string]string{"gpt-5.4": "0.3", "grok-4.7": "1"}},
		{Day: "2026-11-21", USD: "0.1", FeesUSD: "0", ByModel: map[string]string{"gpt-5.4": "0.1"}, Unpriced: 1},
	}, l.Days())
	assert.Equal(t, []prices.LedgerDay{
		{Day: "2026-11-20", USD: "1", FeesUSD: "0", ByModel: map[string]string{"grok-4.7": "1"}},
		{Day: "2026-11-21", USD: "0", FeesUSD: "0", ByModel: map[string]string{}, Unpriced: 1},
	}, l.DaysOf("x-ai", time.Time{}, time.Time{}))
	assert.Equal(t, l.Days()[1:], l.DaysOf("", on(t, "2026-11-21"), time.Time{}))
	assert.Equal(t, l.Days()[:1], l.DaysOf("", time.Time{}, on(t, "2026-11-21")))
	for _, row := range []struct {
		from, to time.Time
		usd      float64
		unpriced int
	}{
		{time.Time{}, time.Time{}, 1.4, 1},
		{on(t, "2026-11-20"), on(t, "2026-11-21"), 1.3, 0},
		{on(t, "2026-11-21"), time.Time{}, 0.1, 1},
		{time.Time{}, on(t, "2026-11-21"), 1.3, 0},
		{on(t, "2026-11-22"), time.Time{}, 0, 0},
		{on(t, "2026-11-20").Add(1), on(t, "2026-11-22"), 0.1, 1},
	} {
		assert.InDelta(t, row.usd, l.Total(row.from, row.to), 0, row)
		assert.Equal(t, row.unpriced, l.Unpriced(row.from, row.to), row)
	}
}

// Fees are part of the sums, and are shown apart.
func TestLedgerKeepsFeesApart(t *testing.T) {
	t.Parallel()
	l, at := prices.NewLedger(), on(t, "2026-11-20")
	usage := prices.Usage{Input: 1_000, Requests: map[string]int64{"web_search": 3}}
	for range 2 {
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.Anthropic, Model: "claude-opus-5", Usage: usage, At: at})
		require.NoError(t, err)
		l.Add(at, &cost)
	}
	assert.Equal(t, []prices.LedgerDay{{Day: "2026-11-20", USD: "0.07", FeesUSD: "0.06", ByModel: map[string]string{"claude-opus-5": "0.07"}, FeesByModel: map[string]string{"claude-opus-5": "0.06"}, UsageByModel: map[string]prices.Usage{"claude-opus-5": {Input: 2_000}}}}, l.Days())
}

func TestEmptyLedger(t *testing.T) {
	t.Parallel()
	var l prices.Ledger
	assert.Zero(t, l.Total(time.Time{}, time.Time{}))
	assert.Equal(t, []prices.LedgerDay{}, l.Days())
	l.Add(time.Unix(-1, 0), cost(models.OpenAI, "m", "2"))
	assert.Equal(t, "1969-12-31", l.Days()[0].Day)
}

// Calls without a valid cost are counted as unpriced.
func TestLedgerCountsInvalidCostsAsUnpriced(t *testing.T) {
	t.Parallel()
	l := prices.NewLedger()
	for _, exact := range []string{"", "-1", "NaN", "1e3", "a lot"} {
		l.Add(time.Now(), &prices.Cost{USD: exact})
	}
	assert.Equal(t, 5, l.Unpriced(time.Time{}, time.Time{}))
	assert.Zero(t, l.Total(time.Time{}, time.Time{}))
}

// An unpriced call of a known provider is in the days of that provider only; one of an unknown provider is in all of them.
func TestLedgerCountsUnpricedCallsByModel(t *testing.T) {
	t.Parallel()
	l, at := prices.NewLedger(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, cost := range []*prices.Cost{nil, {}, {Provider: "Open AI", Model: "gpt-none"}, {Provider: models.OpenAI, Model: "gpt-none"}, {Provider: models.XAI}} {
		l.Add(at, cost)
	}
	assert.Equal(t, 5, l.Unpriced(time.Time{}, time.Time{}))
	for provider, want := range map[models.Provider]prices.LedgerDay{
		"":            {Unpriced: 5, UnpricedByModel: map[string]int{"gpt-none": 2, "": 1}},
		models.OpenAI: {Unpriced: 4, UnpricedByModel: map[string]int{"gpt-none": 2}},
		models.Gemini: {Unpriced: 2},
	} {
		want.Day, want.USD, want.FeesUSD, want.ByModel = "2026-11-21", "0", "0", map[string]string{}
		assert.Equal(t, []prices.LedgerDay{want}, l.DaysOf(provider, time.Time{}, time.Time{}), provider)
	}
}

func TestLedgerDaysAreCopies(t *testing.T) {
	t.Parallel()
	l := prices.NewLedger()
	l.Add(time.Now(), cost(models.OpenAI, "m", "1"))
	l.Days()[0].ByModel["m"] = "7"
	assert.Equal(t, "1", l.Days()[0].ByModel["m"])
}

// The sum of many goroutines is that of plain fractions: nothing is lost and nothing is rounded on the way.
func TestLedgerIsExactFromManyGoroutines(t *testing.T) {
	t.Parallel()
	l := prices.NewLedger()
	const goroutines, adds = 8, 1_000
	want := new(big.Rat)
	for i := range adds {
		amount, _ := new(big.Rat).SetString(fmt.Sprintf("0.%018d", i*i*7919))
		want.Add(want, amount.Mul(amount, big.NewRat(goroutines, 1)))
	}
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			for i := range adds {
				at := time.Date(2026, 11, 1+i%3, g, 0, 0, 0, time.UTC)
				l.Add(at, cost(models.DeepSeek, fmt.Sprint("m", g%2), fmt.Sprintf("0.%018d", i*i*7919)))
				if i%100 == 0 {
					l.Total(time.Time{}, at)
				}
			}
		})
	}
	wait.Wait()
	nearest, _ := want.Float64()
	assert.InDelta(t, nearest, l.Total(time.Time{}, time.Time{}), 0)
	require.Len(t, l.Days(), 3)
}

func TestCostsAndLedgerDaysSurviveJSON(t *testing.T) {
	t.Parallel()
	cost := prices.Cost{
		Provider: models.OpenAI, Model: "m", USD: "0.5", Source: "s", VerifiedAt: ptr("2026-11-21"),
		Lines: []prices.Line{{What: "input", Tokens: 1, USDPerMTok: "2", USD: "0.5"}},
	}
	day := prices.LedgerDay{Day: "2026-11-21", USD: "0.5", FeesUSD: "0.1", ByModel: map[string]string{"m": "0.5"}, Unpriced: 1}
	var cost2 prices.Cost
	var day2 prices.LedgerDay
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, cost)), &cost2))
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, day)), &day2))
	assert.Equal(t, cost, cost2)
	assert.Contains(t, asJSON(t, cost), `"usd":"0.5"`)
	assert.Equal(t, day, day2)
}

// The tokens of a model are known if all of its costs have them by kind, and their sums are int64.
func TestLedgerCountsTokens(t *testing.T) {
	t.Parallel()
	l, at := prices.NewLedger(), on(t, "2026-11-20")
	with := func(p models.Provider, model string, tokens ...int64) *prices.Cost {
		c := cost(p, model, "1")
		for _, n := range tokens {
			c.Lines = append(c.Lines, prices.Line{What: "input", Tokens: n, USD: "0.5"})
		}
		return c
	}
	of := func(what string, n int64) *prices.Cost {
		c := with(models.OpenAI, "a")
		if what == "charged" {
			c.Model = "d"
		}
		c.Lines = []prices.Line{{What: what, Tokens: n, USD: "0.5"}}
		return c
	}
	for _, c := range []*prices.Cost{
		with(models.OpenAI, "a", 3, 4), with(models.OpenAI, "a", 3), of("output", 2), of("charged", 7), cost(models.OpenAI, "a", "0"), with(models.OpenAI, "b", 3), with(models.OpenAI, "b"),
		with(models.OpenAI, "c", math.MaxInt64), with(models.OpenAI, "c", 1), with(models.OpenAI, "c", math.MaxInt64), with(models.XAI, "a", 100), nil,
	} {
		l.Add(at, c)
	}
	assert.Equal(t, map[string]prices.Usage{"a": {Input: 10, Output: 2}}, l.DaysOf(models.OpenAI, time.Time{}, time.Time{})[0].UsageByModel)
	assert.Equal(t, map[string]prices.Usage{"a": {Input: 110, Output: 2}}, l.Days()[0].UsageByModel)
	assert.Nil(t, l.DaysOf(models.Gemini, time.Time{}, time.Time{})[0].UsageByModel)
}
