package main

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

var now = time.Date(2026, 11, 22, 19, 40, 0, 0, time.UTC)

// used is a model with its mean cost in millionths of a dollar, and how often
// it is called, now and 90 days before.
type used struct {
	provider              models.Provider
	platform, model       string
	micros, often, before int
}

// popular are the models called most. The others are small.
var popular = []used{
	{models.Anthropic, "", "claude-opus-5", 144000, 30, 1}, {models.Anthropic, "", "claude-sonnet-4-6", 77000, 14, 9}, {models.Anthropic, "", "claude-opus-4-8", 125000, 8, 14},
	{models.Anthropic, "", "claude-sonnet-5-5", 15000, 25, 5}, {models.OpenAI, "", "gpt-5.2", 53000, 7, 7}, {models.Anthropic, "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 86000, 4, 3},
	{models.OpenAI, "", "gpt-5.4", 63000, 5, 4}, {models.Gemini, "", "gemini-2.5-flash", 1300, 12, 12}, {models.DeepSeek, "", "deepseek-v4-flash", 900, 9, 9}, {models.OpenAI, "", "o4-mini", 0, 2, 2},
	{models.XAI, "", "grok-4.5", 12000, 6, 6}, {models.OpenAI, "", "ft:gpt-4.1-mini:acme::Bx3", -1, 2, 2}, {models.OpenAI, "", "gpt-4o", 20000, 4, 8},
}

// sample returns the calls of 90 days: 40 models, labels, failed, broken and unpriced
// calls, weekends, and one dear day.
func sample(n int) iter.Seq2[calls.Record, error] {
	return func(yield func(calls.Record, error) bool) {
		random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the pages are the same in every run
		for range n {
			if !yield(one(random), nil) {
				return
			}
		}
	}
}

func one(random *rand.Rand) calls.Record {
	at := now.Add(-time.Duration(random.Int64N(int64(90*24*time.Hour) - 1)))
	for weekend := at.Weekday() == time.Saturday || at.Weekday() == time.Sunday; weekend && random.IntN(2) == 0; {
		at, weekend = at.Add(-48*time.Hour), false
	}
	m := pick(random, int(now.Sub(at).Hours()/24))
	project := []string{"code-agent", "support-bot", "doc-summaries", "growth-copy", "eval-nightly", "search-rerank"}[random.IntN(6)]
	input, output := random.Int64N(60_000)+10, random.Int64N(3000)
	r := calls.Record{
		ID: fmt.Sprintf("r%06d", random.IntN(1e6)), Provider: m.provider, Platform: m.platform, Model: m.model, Time: at, Status: 200,
		Duration: time.Duration(random.ExpFloat64() * 9e9), SourceKey: "sample", USD: prices.USD(fmt.Sprintf("0.%09d", m.micros*(500+random.IntN(1000)))),
		Usage:  fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`, input, output, input+output, input/2),
		Labels: map[string]string{"project": project, "team": project[:4], "user": fmt.Sprintf("user-%02d", random.IntN(24)), "thread": fmt.Sprintf("%s-%s-%02d", project, at.Format("0102"), random.IntN(20))},
	}
	switch m.provider { //nolint:exhaustive // the others have the first form
	case models.DeepSeek:
		r.Usage = fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d}`, input, output, input+output, input/2, input-input/2)
	case models.Gemini:
		r.Usage = fmt.Appendf(nil, `{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d}`, input, output, input+output)
	case models.Anthropic:
		r.Usage = fmt.Appendf(nil, `{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}`, input/2, input/2, output)
	}
	if at.Format("0102") == "1112" && m.micros > 100_000 {
		r.USD, r.Labels["thread"] = "0.3", "code-agent-1112-loop"
	}
	fail(random, &m, &r)
	return r
}

func pick(random *rand.Rand, daysAgo int) used {
	weight := func(m *used) int { return m.often*(90-daysAgo) + m.before*daysAgo }
	all := 0
	for i := range popular {
		all += weight(&popular[i])
	}
	at := random.IntN(all * 10 / 9)
	for i := range popular {
		if at -= weight(&popular[i]); at < 0 {
			return popular[i]
		}
	}
	k := random.IntN(27)
	return used{provider: []models.Provider{models.OpenAI, models.Gemini, models.XAI}[k%3], model: fmt.Sprintf("small-model-%02d-preview", k), micros: 700}
}

// fail makes some calls fail, break off or have no price.
func fail(random *rand.Rand, m *used, r *calls.Record) {
	switch k := random.IntN(100); {
	case m.model == "o4-mini" && now.Sub(r.Time) < 30*24*time.Hour:
		r.Status, r.USD, r.Usage, r.Incomplete = 404, "0", nil, true
	case m.micros < 0:
		r.USD, r.Unpriced = "", "prices: unknown cost: model: "+m.model+" has no price in the list"
	case k < 3:
		r.Status, r.USD, r.Usage, r.Incomplete = 429+50*k, "0", nil, true
	case k == 3:
		r.USD, r.Unpriced, r.BoundUSD, r.Incomplete, r.Stream = "", "the response was closed before its final counts", "0.034", true, true
	case k < 8:
		r.Attempt = 2
	}
}

// hostile returns calls whose names are markup, control a terminal, are long, and whose
// amounts are large.
func hostile(yield func(calls.Record, error) bool) {
	names := []string{
		`<script>console.log(1)</script><img src=https://example.com/x onerror=console.log(2)>"'<style>@import url(//example.com)`, "\u202e\u2066right to left\x00\x1b[31m",
		strings.Repeat("x", 400), "</table></main></body>", "שלום עולם", strings.Repeat("very-long-name/", 20),
	}
	for i := range 600 {
		name := names[i%len(names)]
		r := calls.Record{Provider: models.OpenAI, Model: name, ID: name, Time: now.AddDate(0, 0, -1-i%50), Status: 200, SourceKey: "sample", USD: "27132.89"}
		r.Labels = map[string]string{name: name, "user": name, "thread": name}
		switch i % 7 {
		case 0:
			r.USD = "123456789012345.678"
		case 1:
			r.USD, r.Unpriced = "", name
		case 2:
			r.Status, r.Platform = 418, name
		}
		if !yield(r, nil) {
			return
		}
	}
}

// bill exceeds the calls by more than its limit.
func bill() (*bills.Comparison, error) {
	b := &bills.Bill{Provider: models.OpenAI, From: now.AddDate(0, 0, -28).Truncate(24 * time.Hour), To: now.Truncate(24 * time.Hour)}
	var counted []calls.Group
	for i := range 28 {
		day, tokens := b.From.AddDate(0, 0, i).Format(time.DateOnly), int64(1_000_000+i)
		b.Items = append(b.Items, bills.Item{Day: day, Name: "gpt-5.2, input", Model: "gpt-5.2", Kind: "input", USD: "2.5", Tokens: &tokens})
		counted = append(counted, calls.Group{Names: []string{calls.ByDay, calls.ByModel}, Values: []string{day, "gpt-5.2"}, Calls: 50, USD: "1.75", Usage: prices.Usage{Input: 900_000}})
	}
	return bills.Compare(b, counted)
}

// samples are the reports whose pages are measured, by name.
func samples() (map[string]*report.Report, error) {
	bill, err := bill()
	if err != nil {
		return nil, err
	}
	all := map[string]*report.Report{}
	for name, s := range map[string]struct {
		calls   iter.Seq2[calls.Record, error]
		options report.Options
	}{
		"report":  {sample(15_000), report.Options{Budgets: []string{"750/month", "20/day/label:user"}, Bills: []*bills.Comparison{bill}}},
		"90days":  {sample(15_000), report.Options{From: now.AddDate(0, 0, -90).Truncate(24 * time.Hour), To: now.Truncate(24 * time.Hour)}},
		"hostile": {hostile, report.Options{Budgets: []string{"1/month", "1/day/label:user"}}},
		"empty":   {func(func(calls.Record, error) bool) {}, report.Options{}},
		"one":     {sample(1), report.Options{From: now.AddDate(0, 0, -100)}},
	} {
		s.options.Now = now
		r, err := report.Build(s.calls, s.options)
		if err != nil {
			return nil, err
		}
		r.Source.Paths = []string{"calls"}
		all[name] = r
	}
	return all, nil
}
