package prices_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// CostOf agrees with plain fractions over the list's rows and fees, for random calls at
// random times.
func TestCostOfAgreesWithPlainFractions(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	known := 0
	for _, p := range models.Providers() {
		rows, fees := prices.BuiltIn().Rows(p), prices.BuiltIn().Fees(p)
		for range whole.Cases(4_000, 100) {
			call := prices.Call{Provider: p, Model: rows[random.IntN(len(rows))].ModelHint, Usage: randomUsage(random, fees)}
			call.At = time.Date(2025, 1, 1, random.IntN(24*800), random.IntN(60), 0, 0, time.UTC)
			call.Mode = []string{"", "", "", "batch", "us"}[random.IntN(5)]
			want := plainCost(rows, fees, &call)
			cost, err := prices.BuiltIn().CostOf(call)
			require.Equal(t, want == nil, errors.Is(err, prices.ErrUnpriced), "%+v: %v, want %v", call, err, want)
			if want == nil {
				require.Zero(t, cost)
				var unpriced *prices.UnpricedError
				require.ErrorAs(t, err, &unpriced)
				require.Contains(t, missing, unpriced.Missing, "%+v", call)
				continue
			}
			known++
			require.Zero(t, want.Cmp(rational(t, cost.USD)), "%+v: %s, want %s", call, cost.USD, want.FloatString(20))
			nearest, _ := want.Float64()
			require.InDelta(t, nearest, cost.Float64(), 0)
			requireLinesAddUp(t, &cost)
		}
	}
	assert.Greater(t, known, whole.Cases(4_000, 100))
}

// missing has every UnpricedError.Missing value.
var missing = []prices.Missing{
	prices.MissingModel, prices.MissingPeriod, prices.MissingTier, prices.MissingMode, prices.MissingRegion, prices.MissingTool,
	prices.MissingDuration, prices.MissingCount, prices.MissingInput, prices.MissingCacheRead, prices.MissingCacheWrite5m,
	prices.MissingCacheWrite1h, prices.MissingOutput, prices.MissingAudio, prices.MissingImage,
}

func rational(t *testing.T, usd prices.USD) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(usd))
	require.True(t, ok, usd)
	return r
}

func requireLinesAddUp(t *testing.T, cost *prices.Cost) {
	t.Helper()
	sum := new(big.Rat)
	for _, line := range cost.Lines {
		usd, part := rational(t, line.USD), new(big.Rat)
		if line.ToolUses > 0 {
			part.Mul(rational(t, line.USDPerUse), big.NewRat(line.ToolUses, 1))
		} else {
			part.Mul(rational(t, line.USDPerMTok), big.NewRat(line.Tokens, 1_000_000))
		}
		require.Zero(t, usd.Cmp(part), line)
		sum.Add(sum, usd)
	}
	require.Zero(t, sum.Cmp(rational(t, cost.USD)), "the lines add up")
}

func randomUsage(random *rand.Rand, fees []prices.Fee) prices.Usage {
	rarely := func(n int64) int64 { return random.Int64N(8) / 7 * random.Int64N(n) }
	u := prices.Usage{
		Input: random.Int64N(400_000), ToolInput: rarely(5_000), Output: random.Int64N(100_000),
		CacheRead: random.Int64N(2) * random.Int64N(200_000), CacheWrite5m: rarely(10_000), CacheWrite1h: rarely(10_000),
		AudioInput: rarely(5_000), AudioOutput: rarely(5_000), ImageOutput: rarely(5_000),
	}
	if len(fees) > 0 && random.IntN(3) == 0 {
		u.ToolUses = map[string]int64{fees[random.IntN(len(fees))].Tool: random.Int64N(4)}
	}
	return u
}

// plainCost is CostOf without index, tiers and arithmetic, for standard calls and two
// modes. It returns nil if the cost is unknown.
func plainCost(rows []prices.Row, fees []prices.Fee, call *prices.Call) *big.Rat {
	u := &call.Usage
	text := plainRow(rows, call, prices.ModalityText)
	if text == nil || (text.InputPerMTok == "" && text.OutputPerMTok == "") {
		return nil
	}
	audio, image := plainRow(rows, call, prices.ModalityAudio), plainRow(rows, call, prices.ModalityImage)
	heard := audio
	if call.Provider == models.XAI { // xAI documents the text price for audio
		heard = text
	}
	factor, cached := plainFactor(call, text)
	total := plainFees(fees, call)
	if factor == nil || total == nil || (!cached && u.CacheRead > 0) {
		return nil
	}
	for _, part := range []struct {
		tokens int64
		row    *prices.Row
		price  func(*prices.Row) prices.USD
	}{
		{u.Input + u.ToolInput, text, input}, {u.Output, text, output},
		{u.CacheRead, text, func(r *prices.Row) prices.USD { return r.CacheReadPerMTok }},
		{u.CacheWrite5m, text, func(r *prices.Row) prices.USD { return r.CacheWrite5mPerMTok }},
		{u.CacheWrite1h, text, func(r *prices.Row) prices.USD { return r.CacheWrite1hPerMTok }},
		{u.AudioInput, heard, input}, {u.AudioOutput, audio, output}, {u.ImageOutput, image, output},
	} {
		if part.tokens == 0 {
			continue
		}
		if part.row == nil || part.price(part.row) == "" {
			return nil
		}
		usd, _ := new(big.Rat).SetString(string(part.price(part.row)))
		usd.Mul(usd, factor)
		total.Add(total, usd.Mul(usd, big.NewRat(part.tokens, 1_000_000)))
	}
	return total
}

func input(r *prices.Row) prices.USD { return r.InputPerMTok }

func output(r *prices.Row) prices.USD { return r.OutputPerMTok }

// plainRow returns the valid row with the highest threshold, or nil.
func plainRow(rows []prices.Row, call *prices.Call, modality string) *prices.Row {
	var best *prices.Row
	u := &call.Usage
	prompt := u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.AudioInput
	for i := range rows {
		r := &rows[i]
		mode := r.Mode == prices.ModeStandard || r.Mode == plainHours(call.At)
		if r.ModelHint != call.Model || r.Modality != modality || !mode || !inForce(&r.ValidFrom, &r.ValidUntil, call.At) || prompt < r.TierThresholdTokens {
			continue
		}
		if best == nil || r.TierThresholdTokens > best.TierThresholdTokens {
			best = r
		}
	}
	return best
}

// inForce compares a time with a period's bounds as text: a date sorts before all times
// on its day.
func inForce(from, until *string, at time.Time) bool {
	now := at.UTC().Format(time.RFC3339)
	return (from == nil || *from <= now) && (until == nil || *until == "" || now < *until)
}

// plainHours returns the mode for DeepSeek's rows.
func plainHours(at time.Time) string {
	now, clock := at.UTC().Format(time.RFC3339), at.UTC().Format("15:04")
	if now < "2026-08-16T16:00:00Z" {
		return map[bool]string{true: "off-peak", false: "peak"}[clock >= "16:30" || clock < "00:30"]
	}
	beijing := at.UTC().Add(8 * time.Hour)
	clock = beijing.Format("15:04")
	working := clock >= "09:00" && clock < "12:00" || clock >= "14:00" && clock < "18:00"
	holiday := strings.Contains("2026-09-25 2026-10-01 2026-10-02 2026-10-05 2026-10-06 2026-10-07", beijing.Format(time.DateOnly))
	if weekday := beijing.Weekday(); !working || holiday || weekday == time.Saturday || weekday == time.Sunday {
		return "off-peak"
	}
	return "peak"
}

// plainFactor returns the mode's factor, nil if it's unknown, and reports whether it
// holds for cached input.
func plainFactor(call *prices.Call, row *prices.Row) (factor *big.Rat, cached bool) {
	anthropic := call.Provider == models.Anthropic
	oldClaude := strings.Contains(call.Model, "claude-3") || strings.Contains(call.Model, "-4-5") || strings.Contains(call.Model, "-4-1") ||
		strings.Contains(call.Model, "-4-0") || strings.HasSuffix(call.Model, "-4") || strings.Contains(call.Model, "-2025") || strings.Contains(call.Model, "claude-2")
	newGPT := strings.HasPrefix(call.Model, "gpt-6") || strings.HasPrefix(call.Model, "gpt-5.4") || strings.HasPrefix(call.Model, "gpt-5.5") || strings.HasPrefix(call.Model, "gpt-5.6")
	switch {
	case call.Mode == "":
		return big.NewRat(1, 1), true
	case call.Mode == "batch" && (anthropic || call.Provider == models.OpenAI || call.Provider == models.Gemini):
		return big.NewRat(1, 2), call.Provider != models.Gemini
	case call.Mode == "us" && (call.Provider == models.XAI || call.Provider == models.OpenAI && newGPT && row.TierThresholdTokens == 0):
		return big.NewRat(11, 10), true
	case call.Mode == "us" && anthropic && !oldClaude && !strings.Contains(call.Model, "mythos") && inForce(ptr("2026-02-05"), nil, call.At):
		return big.NewRat(11, 10), true
	}
	return nil, false
}

// plainFees returns the tool fees, or nil if one is unknown.
func plainFees(fees []prices.Fee, call *prices.Call) *big.Rat {
	total := new(big.Rat)
	if strings.Contains(call.Model, "search-api") || strings.Contains(call.Model, "search-preview") {
		return nil
	}
	for tool, n := range call.Usage.ToolUses {
		usd := plainFee(fees, tool, call)
		switch {
		case n == 0:
			continue
		case usd == nil || usd.USDPerUse == "":
			return nil
		case usd.Unit == "prompt":
			n = 1
		}
		fee, _ := new(big.Rat).SetString(string(usd.USDPerUse))
		total.Add(total, fee.Mul(fee, big.NewRat(n, 1)))
	}
	return total
}

// plainFee returns a tool's fee at the call's time. No two patterns in the list match the
// same model and day.
func plainFee(fees []prices.Fee, tool string, call *prices.Call) *prices.Fee {
	for i, fee := range fees {
		if fee.Tool != tool || !inForce(fee.ValidFrom, fee.ValidUntil, call.At) {
			continue
		}
		for _, model := range fee.Models {
			if beginning, open := strings.CutSuffix(model, "*"); call.Model == model || open && strings.HasPrefix(call.Model, beginning) {
				return &fees[i]
			}
		}
	}
	return nil
}
