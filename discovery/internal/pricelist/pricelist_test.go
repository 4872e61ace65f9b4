package pricelist_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

func tableOf(name string) string {
	text, err := os.ReadFile("../../facts/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

var (
	builtIn = sync.OnceValue(func() *pricelist.List { list, _ := pricelist.Of(facts.BuiltIn()); return list })
	terms   = sync.OnceValue(func() *pricelist.Terms { _, terms := pricelist.Of(facts.BuiltIn()); return terms })
)

// lines returns each line's cells from a data file, without comments and header.
func lines(t *testing.T, name string) [][]string {
	t.Helper()
	var cells [][]string
	for line := range strings.Lines(tableOf(name)) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "provider,") {
			cells = append(cells, strings.Split(strings.TrimSpace(line), ","))
		}
	}
	return cells
}

// A malformed cell would be read as an unknown price, so the file is checked here.
func TestEveryLineOfThePriceListIsWellFormed(t *testing.T) {
	t.Parallel()
	price := regexp.MustCompile(`^(\d+(\.\d*[1-9])?\??)?$`)
	date := regexp.MustCompile(`^(20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?)?$`)
	list := lines(t, "prices.csv")
	for _, cells := range list {
		require.Len(t, cells, 16, cells)
		assert.Contains(t, []string{"openai", "deepseek", "anthropic", "gemini", "xai"}, cells[0])
		assert.Regexp(t, `^[a-z0-9.-]+$`, cells[1])
		assert.Regexp(t, `^(0|100000|128000|199999|200000|272000)$`, cells[2])
		for _, cell := range cells[3:8] {
			assert.Regexp(t, price, cell, cells)
		}
		assert.Regexp(t, date, cells[8])
		assert.Regexp(t, date, cells[9])
		assert.Regexp(t, date, cells[11])
		assert.Equal(t, strings.Join(cells[3:8], "") == "", cells[10] == "", "a price has a source: %v", cells)
		assert.Contains(t, []string{"", "peak", "off-peak", "priority"}, cells[13])
		assert.Contains(t, []string{"", "audio", "image"}, cells[14])
	}
	assert.Len(t, builtIn().Rows(), len(list))
}

func TestPriceListIsComplete(t *testing.T) {
	t.Parallel()
	rows, priced := map[string]int{}, 0
	for _, r := range builtIn().Rows() {
		rows[r.Provider]++
		if r.Priced() {
			priced++
		} else {
			assert.Contains(t, []string{"no two sources agree on a price", "Anthropic's Claude Code 2.1.332"}, r.Source)
		}
		assert.NotRegexp(t, `\(\)|, ,|; ;|  `, r.Source)
	}
	for provider, least := range map[string]int{"openai": 212, "deepseek": 31, "anthropic": 61, "gemini": 132, "xai": 94} {
		assert.GreaterOrEqual(t, rows[provider], least, "rows are never removed: %s", provider)
	}
	assert.Len(t, rows, 5)
	assert.GreaterOrEqual(t, priced, 484)
}

// The comment on prices.BuiltIn names the rows with a single source.
func TestSingleSourcesAreDocumented(t *testing.T) {
	t.Parallel()
	var single []string
	for _, r := range builtIn().Rows() {
		if strings.Contains(r.Source, "single") {
			single = append(single, strings.TrimSpace(r.Model+" "+pricelist.FormatTime(r.Until)))
		}
	}
	assert.Equal(t, []string{"claude-2.0"}, single)
}

// A price that the provider may end on any day is marked, since the list has no end date
// for it.
func TestPromotionalPricesAreMarked(t *testing.T) {
	t.Parallel()
	var marked []string
	for _, r := range builtIn().Rows() {
		if strings.Contains(r.Source, "promotional") {
			marked = append(marked, r.Model)
			assert.Equal(t, "2026-08-21", pricelist.FormatTime(r.From))
			assert.Contains(t, r.Source, "genai-prices")
			assert.True(t, strings.HasSuffix(r.Source, "; a promotional price, which was guaranteed through 2026-11-21"), r.Source)
		}
	}
	assert.Equal(t, []string{"gpt-5.6", "gpt-5.6", "gpt-5.6-sol", "gpt-5.6-sol"}, marked)
}

// A model's rows with the same threshold are never valid on the same day: the choice
// would be arbitrary.
func TestPeriodsDoNotOverlap(t *testing.T) {
	t.Parallel()
	rows := builtIn().Rows()
	for i, a := range rows {
		assert.True(t, a.Until.IsZero() || a.From.Before(a.Until), a.Model)
		for _, b := range rows[i+1:] {
			if a.Provider != b.Provider || a.Model != b.Model || a.Kind != b.Kind || a.MinPrompt != b.MinPrompt {
				continue
			}
			apart := (!a.Until.IsZero() && !a.Until.After(b.From)) || (!b.Until.IsZero() && !b.Until.After(a.From))
			assert.True(t, apart, "%s from %d", a.Model, a.MinPrompt)
		}
	}
}

func TestAliasRowsNameTheirModel(t *testing.T) {
	t.Parallel()
	for _, r := range builtIn().Rows() {
		if r.SameAs != "" {
			same := builtIn().Model(r.Provider, r.SameAs)
			same = slices.DeleteFunc(slices.Clone(same), func(s pricelist.Row) bool { return !s.From.Equal(r.From) || s.MinPrompt != r.MinPrompt })
			require.Len(t, same, 1, r.Model)
			assert.Equal(t, []pricelist.Price{same[0].Input, same[0].CacheRead, same[0].CacheWrite5m, same[0].Output},
				[]pricelist.Price{r.Input, r.CacheRead, r.CacheWrite5m, r.Output}, r.Model)
		}
	}
}

// A factor needs the provider's own page or two sources, or has a question mark.
func TestEveryFactorHasItsSources(t *testing.T) {
	t.Parallel()
	for _, cells := range lines(t, "factors.csv") {
		require.Len(t, cells, 9, cells)
		assert.Regexp(t, `^\d{1,2}(\.\d{1,2})?\??$`, cells[2], cells)
		assert.Regexp(t, `^(yes|no)$`, cells[4])
		assert.Regexp(t, `^(yes|no)$`, cells[5])
		sources := strings.Split(cells[8], "+")
		assert.Equal(t, len(sources) == 1 && sources[0] != "page", strings.HasSuffix(cells[2], "?"), cells)
		for _, model := range strings.Split(cells[3], ";") {
			if !strings.HasSuffix(model, "*") {
				assert.NotNil(t, builtIn().Model(cells[0], model), model)
			}
		}
	}
}

func TestFactorOf(t *testing.T) {
	t.Parallel()
	november := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		provider, model, mode string
		at                    time.Time
		want                  float64
	}{
		{"openai", "gpt-4", "batch", november, 50},
		{"openai", "gpt-5.4", "flex", november, 50},
		{"openai", "gpt-4o", "flex", november, 0},
		{"openai", "gpt-6.1-terra", "flex", november, 50},
		{"openai", "gpt-6.2-astra", "flex", november, 0},
		{"openai", "gpt-5.5", "priority", november, 250},
		{"openai", "gpt-6.2-astra", "priority", november, 200},
		{"openai", "gpt-5-mini", "priority", november, 180},
		{"openai", "gpt-4o-2024-05-13", "priority", november, 175},
		{"openai", "gpt-4.1-nano", "priority", november, 200},
		{"openai", "gpt-6.2-sol", "ultrafast", november, 300},
		{"openai", "gpt-6.2-sol", "ultrafast", time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC), 0},
		{"openai", "gpt-6.2-sol", "ultrafast", time.Date(2027, 3, 2, 0, 0, 0, 0, time.UTC), 600},
		{"openai", "gpt-6.1-sol", "ultrafast", november, 0},
		{"openai", "gpt-5.6-sol", "eu", november, 110},
		{"anthropic", "claude-2.1", "batch", november, 50},
		{"anthropic", "claude-opus-5-5", "fast", november, 200},
		{"anthropic", "claude-opus-4-7", "fast", november, 0},
		{"anthropic", "claude-fable-5-2", "fast", november, 200},
		{"anthropic", "claude-mythos-5-2", "fast", november, 0},
		{"anthropic", "claude-opus-5-5", "us", november, 110},
		{"anthropic", "claude-opus-5-5", "priority", november, 0},
		{"gemini", "gemini-3.8-flash", "batch", november, 50},
		{"gemini", "gemini-3.1-flash-lite", "flex", november, 50},
		{"xai", "grok-4.7", "us", november, 110},
		{"xai", "grok-4.7", "batch", november, 0},
		{"deepseek", "deepseek-flash", "batch", november, 0},
	} {
		got, ok := terms().FactorOf(row.provider, row.model, row.mode, row.at)
		assert.Equal(t, row.want != 0, ok, row)
		if ok {
			assert.InDelta(t, row.want/100, got.Factor.Float64(), 0, row)
		}
	}
}

// DeepSeek's pages had no hours, then nights, then none again, then working hours.
func TestHours(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"2025-02-26T16:29:59Z": "", "2025-02-26T16:30:00Z": "off-peak", "2025-02-27T00:29:59Z": "off-peak", "2025-02-27T00:30:00Z": "peak",
		"2025-09-05T15:59:59Z": "peak", "2025-09-05T16:00:00Z": "", "2026-08-16T15:59:59Z": "", "2026-08-16T16:00:00Z": "off-peak",
		"2026-08-22T00:59:59Z": "off-peak", "2026-08-21T16:00:00Z": "off-peak", "2026-08-17T01:00:00Z": "peak", "2026-08-17T06:00:00Z": "peak", "2026-08-22T01:00:00Z": "peak", "2026-08-22T09:59:59Z": "peak", "2026-08-23T01:00:00Z": "off-peak",
		"2026-11-18T00:59:59Z": "off-peak", "2026-11-18T01:00:00Z": "peak", "2026-11-18T03:59:59Z": "peak", "2026-11-18T04:00:00Z": "off-peak",
		"2026-11-18T06:00:00Z": "peak", "2026-11-18T17:59:59+08:00": "peak", "2026-11-18T18:00:00+08:00": "off-peak",
		"2026-11-21T02:00:00Z": "off-peak", "2026-11-22T02:00:00Z": "off-peak", "2026-11-23T02:00:00Z": "peak",
		"2026-09-25T02:00:00Z": "off-peak", "2026-10-07T09:00:00Z": "off-peak", "2026-10-08T09:00:00Z": "peak", "2027-10-01T02:00:00Z": "peak",
	} {
		when, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		assert.Equal(t, want, terms().ModeAt("deepseek", when), at)
		assert.Empty(t, terms().ModeAt("openai", when))
	}
}

func TestInForceChoosesThePeriodBeforeTheTier(t *testing.T) {
	t.Parallel()
	one := pricelist.ParsePrice("1")
	last, first := time.Date(2026, 4, 30, 23, 59, 59, 0, time.UTC), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	rows := pricelist.New([]pricelist.Row{
		{Model: "m", Input: one, Until: first, Source: "old"},
		{Model: "m", Input: one, From: first, Source: "new"},
		{Model: "m", Input: one, Until: first, MinPrompt: 101, Source: "old long"},
		{Model: "late", Input: one, From: first, MinPrompt: 101},
	})
	for _, row := range []struct {
		model   string
		at      time.Time
		prompt  int64
		want    string
		missing string
	}{
		{"m", last, 100, "old", ""},
		{"m", last, 101, "old long", ""},
		{"m", first, 101, "new", ""},
		{"m", first.In(time.FixedZone("west", -3600)), 0, "new", ""},
		{"late", last, 101, "", "period"},
		{"late", first, 100, "", "tier"},
		{"unknown", first, 100, "", "period"},
	} {
		got, missing := pricelist.InForce(rows.Model("", row.model), pricelist.Kind{}, row.at, row.prompt)
		assert.Equal(t, row.missing, missing, row)
		if assert.Equal(t, row.want != "", got != nil && got.Source != "", row) && got != nil {
			assert.Equal(t, row.want, got.Source, row)
		}
	}
}

// A price keeps all its decimal places.
func TestPricesAreDecimals(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0.1", "0", "0.4166666666666667", "0.30000000000000004", "10000000", "0.00000000000000000001", "0." + strings.Repeat("0", 299) + "1", "1" + strings.Repeat("0", 15),
	} {
		p := pricelist.ParsePrice(text)
		require.NotNil(t, p, text)
		assert.Equal(t, text, pricelist.Text(p))
		usd, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		assert.InDelta(t, usd, *pricelist.Float64(p), 0)
	}
	assert.Empty(t, pricelist.Text(nil))
	assert.Nil(t, pricelist.Float64(nil))
	for _, text := range []string{"", "?", "1?", "-1"} {
		assert.Nil(t, pricelist.ParsePrice(text), text)
	}
}

// Google truncates to nano-dollars per token, so a live price is less than 0.001 USD per
// million too low.
func TestNearIsLessThanATruncation(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"0.0375", "0.037", true},
		{"0.037", "0.0375", true},
		{"0.25", "0.249", false},
		{"0.25", "0.249000000001", true},
		{"0.25", "0.25", true},
		{"0", "0.001", false},
		{"0", "0.0009", true},
		{"999999", "999999.0009", true},
		{"", "0", false},
		{"0", "", false},
		{"", "", false},
	} {
		assert.Equal(t, row.want, pricelist.Near(pricelist.ParsePrice(row.a), pricelist.ParsePrice(row.b)), row)
	}
}
