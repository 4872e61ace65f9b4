package discovery_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func TestReportTable(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1234.5", "")), costDay(1, result("-0.25", "")), costDay(2, result("-1E-9", "")))})
	var text strings.Builder
	require.NoError(t, reconcileOpenAI(t, s, ptr(1200.0)).Table(&text))
	assert.Equal(t, ""+
		"      openai       USD\n"+
		"  2024-11-01  1,234.50\n"+
		"  2024-11-02     -0.25\n"+
		"  2024-11-03      0.00\n"+
		"      billed  1,234.25\n"+
		"     counted  1,200.00\n"+
		"       drift    +34.25\n"+
		"     drift %     +2.85\n"+
		"missing in the bill: 2024-11-04, 2024-11-05, 2024-11-06, 2024-11-07\n", text.String())

	text.Reset()
	q := usageQuery()
	q.TimeUnit, q.EndTime = discovery.TimeUnitHour, "2126-05-09 00:00:00"
	x, err := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1"), point("2026-05-08T13:00:00Z", "2"))).inProcess().ReconcileXAICost(t.Context(), q, nil)
	require.NoError(t, err)
	require.NoError(t, x.Table(&text))
	assert.Equal(t, ""+
		"                  xai   USD\n"+
		"           2026-05-08  1.00\n"+
		"  2026-05-08 13:00:00  2.00\n"+
		"               billed  3.00\n"+
		"not settled: the window reaches into today or beyond, so the bill can still grow\n", text.String())

	text.Reset()
	failed := newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, "")})
	require.NoError(t, reconcileOpenAI(t, failed, ptr(5.0)).Table(&text))
	assert.Contains(t, text.String(), "billed     -")
	assert.Contains(t, text.String(), "not complete: the bill could not be read")
	assert.NotContains(t, text.String(), "0.00 ", "no figures")
}

// Rows are in cents, unless that hides an amount or a difference.
func TestReportTableOfSmallAmounts(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	r := billedDays(1.234567, 1.25, 0.000002).WithCalls(counted(map[int]prices.USD{1: "1.2345", 2: "1.24", 3: "0.000002"}).Groups())
	require.NoError(t, r.Table(&text))
	assert.Equal(t, []string{"2026-05-01 1.234567 1.234500", "2026-05-02 1.25 1.24", "2026-05-03 0.000002 0.000002", "billed 2.48", "counted 2.47", "drift +0.01"}, fields(text.String())[1:7])
}

// Days add up to the sums, and differences are between the amounts shown.
func TestReportTableAddsUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range whole.Cases(200, 20) {
		calls, days := map[int]prices.USD{}, make([]float64, 2+random.IntN(6))
		for i := range days {
			days[i] = 1 + random.Float64()
			calls[i+1] = prices.USD(strconv.FormatFloat(days[i]-0.1-0.8*random.Float64(), 'f', 6, 64))
		}
		for _, r := range []*discovery.ReconciliationReport[discovery.CostBucket]{billedDays(days...), billedDays(days...).WithCalls(counted(calls).Groups())} {
			var text strings.Builder
			require.NoError(t, r.Table(&text))
			checkSums(t, fields(text.String())[1:], len(days))
		}
	}
}

// Amounts in sentences and in the table next to them add up as shown: models to their
// day, days and models to the total, and effects to their difference.
func TestSentencesAndTableAddUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	usd := func() float64 { return 0.02 + math.Round(random.Float64()*1e6)/1e6 }
	day := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for range whole.Cases(500, 20) {
		r, counted := billedDays(0, 0), newTotals()
		for i, names := range [][]string{{"gpt-5.4", "gpt-4o"}, {"gpt-5.4"}} {
			bucket := &r.Buckets[i]
			bucket.LineItemBreakdown = map[string]float64{}
			for _, name := range names {
				bucket.LineItemBreakdown[name+", input"] = 2 + usd()
				bucket.TotalUSD += bucket.LineItemBreakdown[name+", input"]
				add(counted, day.AddDate(0, 0, i), models.OpenAI, name, prices.USD(strconv.FormatFloat(2-usd(), 'f', 6, 64)))
			}
			r.ActualUSD += bucket.TotalUSD
		}
		r = r.WithCalls(counted.Groups())
		c, err := r.Compare(0)
		require.NoError(t, err)
		var table strings.Builder
		require.NoError(t, r.DayTable(&table, true))
		checkSentences(t, c, fields(table.String())[1:])
	}
}

func checkSentences(t *testing.T, c *bills.Comparison, rows []string) {
	t.Helper()
	text := c.String() + "\n" + strings.Join(rows, "\n")
	sums, named := map[string]int{}, map[string]int{}
	for _, row := range rows[:2] {
		cells := strings.Fields(row)
		sums["billed"] += inCents(cells[1])
		sums["counted"] += inCents(cells[2])
		sums[cells[0]] = inCents(cells[1]) - inCents(cells[2])
	}
	total := regexp.MustCompile(`Billed (\S+) USD, counted (\S+) USD; (\S+) USD`).FindStringSubmatch(text)
	require.NotNil(t, total, text)
	cells := regexp.MustCompile(`(?m)^(2026-05-0\d) \S+: (\S+) USD`).FindAllStringSubmatch(text, -1)
	require.Len(t, cells, 3, text)
	for _, cell := range cells {
		named[cell[1]] += inCents(cell[2])
		named["all"] += inCents(cell[2])
	}
	sums["all"] = inCents(total[3])
	assert.Equal(t, []int{inCents(total[1]), inCents(total[2]), inCents(total[1]) - inCents(total[2])}, []int{sums["billed"], sums["counted"], sums["all"]}, text)
	delete(sums, "billed")
	delete(sums, "counted")
	assert.Equal(t, sums, named, text)
	for _, p := range slices.Concat(c.Rounded().Cells, c.Rounded().Days, []bills.Part{c.Rounded().Total}) {
		effects := prices.USD("0")
		for _, e := range p.Effects {
			effects = effects.Add(e.USD)
		}
		assert.Equal(t, []prices.USD{p.DriftUSD, p.DriftUSD}, []prices.USD{effects, p.BilledUSD.Sub(p.CountedUSD)}, p.Name)
	}
}

func inCents(cell string) int {
	n, _ := strconv.Atoi(strings.NewReplacer(".", "", "+", "", ",", "", "−", "-").Replace(cell))
	return n
}

// checkSums adds the first rows' columns, in cents.
func checkSums(t *testing.T, rows []string, days int) {
	t.Helper()
	var sums [3]int
	for _, row := range rows[:days] {
		for i, cell := range strings.Fields(row)[1:] {
			sums[i] += inCents(cell)
		}
	}
	billed := strings.Fields(rows[days])[1]
	assert.Equal(t, inCents(billed), sums[0], rows)
	if len(rows) > days+1 {
		counted, drift := strings.Fields(rows[days+1])[1], strings.Fields(rows[days+2])[1]
		assert.Equal(t, []int{inCents(counted), inCents(billed) - inCents(counted)}, []int{sums[1], inCents(drift)}, rows)
	}
}

// A day that the bill lacks has no billed amount.
func TestReportTableOfAMissingDay(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	r := billedDays(1, 2).WithCalls(counted(map[int]prices.USD{1: "1", 2: "2"}).Groups())
	r.MissingDays = []string{"2026-05-02"}
	require.NoError(t, r.DayTable(&text, true))
	assert.Equal(t, []string{"2026-05-01 1.00 1.00", "2026-05-02 - 2.00"}, fields(text.String())[1:3])
}

// A note lists five missing days and counts the others.
func TestReportCountsMissingDays(t *testing.T) {
	t.Parallel()
	const five = "missing in the bill: 2024-11-01, 2024-11-02, 2024-11-03, 2024-11-04, 2024-11-05"
	for want, days := range map[string][]string{
		five + " and 2 more\n": nil,
		five + " and 1 more\n": {costDay(6, result("1", ""))},
		five + "\n":            {costDay(5, result("1", "")), costDay(6, result("1", ""))},
	} {
		var text strings.Builder
		s := costs(map[string]string{"": costPage(false, "null", days...)})
		require.NoError(t, reconcileOpenAI(t, s, nil).Table(&text))
		assert.Contains(t, text.String(), want)
	}
}

func TestReportReturnsTheErrorOfTheWriter(t *testing.T) {
	t.Parallel()
	r := reconcileOpenAI(t, twoDays(), nil)
	full := errors.New("the disk is full")
	require.ErrorIs(t, r.Table(failingWriter{full}), full)
}

// itemsOf returns a report's items, sorted by day and name.
func itemsOf[B discovery.Bucket](r *discovery.ReconciliationReport[B]) []bills.Item {
	items := r.Bill().Items
	slices.SortFunc(items, func(a, b bills.Item) int { return strings.Compare(a.Day+a.Name, b.Day+b.Name) })
	return items
}

func TestBillHasTheLineItems(t *testing.T) {
	t.Parallel()
	r := billedDays(0.3, 1, 0)
	r.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-4o-2024-08-06, input": 0.1, "Vector storage": 0.2}
	r.Buckets[0].LineItemQuantities = map[string]discovery.Quantity{"gpt-4o-2024-08-06, input": {Amount: "0.25", Unit: "1000_tokens"}}
	assert.Equal(t, []bills.Item{
		{Day: "2026-05-01", Name: "Vector storage", Kind: bills.KindOther, USD: "0.2"},
		{Day: "2026-05-01", Name: "gpt-4o-2024-08-06, input", Model: "gpt-4o", Kind: "input", USD: "0.1", Tokens: ptr(int64(250))},
		{Day: "2026-05-02", USD: "1"}, {Day: "2026-05-03", USD: "0"},
	}, itemsOf(r))
	bill := r.Bill()
	assert.Equal(t, models.OpenAI, bill.Provider)
	assert.Equal(t, time.Unix(r.WindowStart, 0).UTC(), bill.From)

	r.WindowEnd = nil
	assert.True(t, r.Bill().To.After(time.Now()), "an open window ends with today")
	r.Buckets[1].TotalUSD = math.Inf(1)
	assert.Empty(t, r.Bill().Items, "infinite or NaN")
	r = billedDays(1)
	r.Complete = false
	assert.Empty(t, r.Bill().Items)
}

// TestBillFindsModelsAndKinds reads line items as they appear on recorded bills.
func TestBillFindsModelsAndKinds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider    models.Provider
		item        string
		model, kind string
	}{
		{models.OpenAI, "gpt-4o-mini-2024-07-18, input", "gpt-4o-mini", "input"},
		{models.OpenAI, "gpt-6-astra, input_tokens", "gpt-6-astra", "input"},
		{models.OpenAI, "gpt-image-2.5-flare image, output", "gpt-image-2.5-flare", "image_output"},
		{models.OpenAI, "gpt-4o audio, cached input", "gpt-4o", "audio_cache_read"},
		{models.OpenAI, "codex-mini-latest, input", "codex-mini-latest", "input"},
		{models.OpenAI, "computer-use-preview, output", "computer-use-preview", "output"},
		{models.OpenAI, "gpt-realtime audio, output", "gpt-realtime", "audio_output"},
		{models.OpenAI, "codex tasks", "", bills.KindTokens},
		{models.OpenAI, "o3, cached input", "o3", "cache_read"},
		{models.OpenAI, "gpt-5.2, tokens", "gpt-5.2", bills.KindTokens},
		{models.OpenAI, "web search tool calls", "", bills.KindOther},
		{models.OpenAI, "Vector storage", "", bills.KindOther},
		{models.OpenAI, "Text tokens", "", bills.KindTokens},
		{models.OpenAI, "GPT-4o mini, input", "", "input"},
		{models.OpenAI, "gpt-4o and gpt-4o-mini, storage", "", bills.KindOther},
		{models.OpenAI, "claude-opus-4-8, output", "", "output"},
		{models.Gemini, "Generate content cached content token count gemini 3 flash input text", "gemini-3-flash", "cache_read"},
		{models.Gemini, "Generate content output token count gemini 3 flash short output text", "gemini-3-flash", "output"},
		{models.Gemini, "Credit: gemini 3 flash", "", bills.KindOther},
		{models.XAI, "Chat grok-3-mini", "grok-3-mini", bills.KindTokens},
		{models.XAI, "Chat grok-code-fast", "grok-code-fast", bills.KindTokens},
		{models.XAI, "API grok-imagine-video-1.5", "grok-imagine-video-1.5", bills.KindTokens},
		{models.XAI, "File Storage", "", bills.KindOther},
	} {
		r := discovery.ReconciliationReport[discovery.CostBucket]{Provider: row.provider, Complete: true, Buckets: []discovery.CostBucket{{
			TotalUSD: 1.5, LineItemBreakdown: map[string]float64{row.item: 1.5},
		}}}
		assert.Equal(t, []bills.Item{{Day: "1970-01-01", Name: row.item, Model: row.model, Kind: row.kind, USD: "1.5"}}, r.Bill().Items)
	}
}

// Anthropic's items are split by token type and service tier, and get their tokens from
// the usage report.
func TestBillOfAnthropic(t *testing.T) {
	t.Parallel()
	cost := func(cents, name, kind, tier string) json.RawMessage {
		return []byte(asJSON(t, map[string]any{
			"amount": cents, "currency": "USD", "cost_type": "tokens", "description": name, "model": "claude-opus-4-8-20260101", "token_type": kind, "service_tier": tier,
			"context_window": "0-200k", "inference_geo": nil,
		}))
	}
	bucket := discovery.CostBucket{LineItemBreakdown: map[string]float64{"Input": 1, "Cache": 1, "Web Search Usage": 1}}
	bucket.RawResults = []json.RawMessage{
		cost("180.25", "Input", "uncached_input_tokens", "standard"), cost("20", "Input", "uncached_input_tokens", "batch"), cost("1", "Input", "uncached_input_tokens", "batch"),
		cost("7", "Cache", "cache_creation.ephemeral_1h_input_tokens", "standard"),
		[]byte(`{"amount":"2.25","currency":"USD","cost_type":"web_search","description":"Web Search Usage","model":null}`),
	}
	r := &discovery.ReconciliationReport[discovery.CostBucket]{Provider: models.Anthropic, Complete: true, Buckets: []discovery.CostBucket{bucket}}
	item := func(name, kind string, usd prices.USD, tokens *int64) bills.Item {
		return bills.Item{Day: "1970-01-01", Name: name, Model: "claude-opus-4-8", Kind: kind, USD: usd, Tokens: tokens}
	}
	search := bills.Item{Day: "1970-01-01", Name: "Web Search Usage", Kind: bills.KindOther, USD: "0.0225"}
	assert.Equal(t, []bills.Item{
		item("Cache", "cache_write_1h", "0.07", nil), item("Input", "input", "1.8025", nil), item("Input, batch", "input", "0.21", nil), search,
	}, itemsOf(r))

	used := func(input, written int64, tier, geo string) json.RawMessage {
		return []byte(asJSON(t, map[string]any{
			"uncached_input_tokens": input, "cache_creation": map[string]any{"ephemeral_1h_input_tokens": written}, "model": "claude-opus-4-8-20260101",
			"service_tier": tier, "context_window": "0-200k", "inference_geo": geo,
		}))
	}
	r.Buckets[0].UsageResults = []json.RawMessage{used(100, 7, "standard", ""), used(1, 0, "standard", "not_available"), used(40, 0, "batch", ""), used(1000, 0, "batch", "us")}
	assert.Equal(t, []bills.Item{
		item("Cache", "cache_write_1h", "0.07", ptr(int64(7))), item("Input", "input", "1.8025", ptr(int64(101))), item("Input, batch", "input", "0.21", ptr(int64(40))), search,
	}, itemsOf(r))
}
