package costs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// write writes lines to a file in a new directory.
func write(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
	return file
}

const (
	priced   = `{"provider":"anthropic","model":"=a,\"b\"","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":100},"usd":"0.000000000000000001","requests":{"web_search":2}}`
	unpriced = `{"provider":"xai","model":"m","time":"2026-11-21T12:00:00Z","usage":null,"usd":null,"unpriced":"closed\n early"}`
)

func TestReportAddsUp(t *testing.T) {
	t.Parallel()
	file := write(t, priced, priced, unpriced, unpriced, unpriced, `{"provider":"xai","model":"m","time":"2026-11-21T12:00:00Z","usd":null}`, "x")
	for _, by := range [][]string{{"day"}, {"unpriced", "day"}, nil} {
		r, err := costs.Read(by, calls.Options{}, file)
		require.ErrorContains(t, err, "calls.jsonl:7: ")
		assert.Equal(t, 6, r.Calls)
		assert.Equal(t, 4, r.Unpriced)
		assert.EqualValues(t, "0.000000000000000002", r.USD)
		assert.Equal(t, []costs.Reason{{"closed\n early", 3}, {"the cost was unknown", 1}}, r.Reasons)
		assert.Equal(t, map[string]int64{"web_search": 4}, r.Rows[0].Usage.ToolUses)
	}
	r, err := costs.Read(nil, calls.Options{}, write(t))
	require.NoError(t, err)
	assert.Equal(t, &costs.Sums{By: []string{}, Rows: []calls.Group{}, USD: "0", AtLeastUSD: "0", Subscription: "0", UpstreamUSD: "0", Reasons: []costs.Reason{}}, r)
}

// Lines whose tokens overflow a sum are errors and are in no row.
func TestReportOfTooManyTokens(t *testing.T) {
	t.Parallel()
	huge := strings.Replace(priced, `"input_tokens":5`, `"input_tokens":9000000000000000`, 1)
	r, err := costs.Read([]string{"day"}, calls.Options{}, write(t, slices.Repeat([]string{huge}, 1030)...))
	require.ErrorContains(t, err, "calls.jsonl:1025: the tokens up to this line do not fit in a sum")
	require.Len(t, r.Rows, 1)
	assert.Equal(t, 1024, r.Rows[0].Calls)
	assert.Equal(t, int64(1024*9000000000000000), r.Rows[0].Usage.Input)
}

func lineOn(day, model, more string) string {
	return fmt.Sprintf(`{"provider":"openai","model":%q,"time":"%sT12:00:00Z","usage":{"input_tokens":5000,"output_tokens":100,"total_tokens":5100}%s}`, model, day, more)
}

// A value with a NUL must not be taken for two values.
func TestReportKeepsValuesApart(t *testing.T) {
	t.Parallel()
	file := write(t, lineOn("2026-11-20", "m", `,"usd":"1","labels":{"a":"x\u0000y","b":"z"}`), lineOn("2026-11-20", "m", `,"usd":"2","labels":{"a":"x","b":"y\u0000z"}`))
	r, err := costs.Read([]string{"label:a", "label:b"}, calls.Options{}, file)
	require.NoError(t, err)
	require.Len(t, r.Rows, 2)
	assert.Equal(t, []string{"x\x00y", "z"}, r.Rows[1].Values)
	assert.EqualValues(t, "1", r.Rows[1].USD)
}

func TestTableStatesOldPrices(t *testing.T) {
	t.Parallel()
	for old, want := range map[string]bool{"": false, "the table is from 2026-11-22, 15 days old; mesh update gets the newest": true} {
		r, err := costs.Read([]string{"model"}, calls.Options{}, t.TempDir())
		require.NoError(t, err)
		r.OldPrices = old
		var text strings.Builder
		require.NoError(t, r.Table(&text))
		assert.Equal(t, want, strings.HasSuffix(text.String(), "\nprices: "+old+"\n"))
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	s := costs.NewSummary()
	openAI := []byte(`{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":200}}`)
	for _, r := range []calls.Record{
		{Provider: models.OpenAI, Model: "gpt-4o", Usage: openAI, USD: "0.1"},
		{Provider: models.OpenAI, Model: "gpt-4o", Usage: openAI, USD: "0.2", ToolUses: map[string]int64{"web_search": 2}},
		{Provider: models.OpenAI, Model: "gpt-4o", USD: "0", Status: 429},
		{Provider: models.OpenAI, Unpriced: "speech has no counts"},
		{Provider: models.OpenAI, Unpriced: "speech has no counts"},
		{Provider: models.Anthropic, Model: "claude\x1b[31m", Unpriced: "a\nb"},
	} {
		s.Record(r)
	}
	var text strings.Builder
	require.NoError(t, s.Write(&text, false))
	assert.NotContains(t, text.String(), "\x1b")
	lines := strings.Split(text.String(), "\n")
	require.Len(t, lines, 9)
	for i, want := range []string{
		"PROVIDER MODEL CALLS INPUT CACHE READ OUTPUT REQUESTS UNPRICED USD",
		"", // with the control character replaced
		"openai - 2 0 0 0 2 -",
		"openai gpt-4o 3 1600 400 1000 web_search=2 0 0.3",
		"total 0.3 USD; calls: 6, unpriced: 3",
	} {
		if want != "" {
			assert.Equal(t, want, strings.Join(strings.Fields(lines[i]), " "))
		}
	}
	assert.Equal(t, "unpriced: 2 of openai/?: speech has no counts", lines[6])
	assert.Equal(t, "failed: 1 of openai/gpt-4o: the response had status 429", lines[7])
	assert.True(t, strings.HasPrefix(lines[5], "unpriced: 1 of anthropic/claude"), lines[5])
	count, unpriced := s.Calls()
	assert.Equal(t, []int{6, 3}, []int{count, unpriced})
}

func TestSummaryOfSubscriptions(t *testing.T) {
	t.Parallel()
	s := costs.NewSummary()
	for _, r := range []calls.Record{
		{Provider: models.OpenAI, Model: "m", USD: "0.1", Billing: "subscription"}, {Provider: models.OpenAI, Model: "m", USD: "0.2"},
		{Provider: models.OpenAI, Model: "m", Unpriced: "closed", Billing: "subscription"},
	} {
		s.Record(r)
	}
	var text strings.Builder
	require.NoError(t, s.Write(&text, false))
	assert.Contains(t, text.String(), "\ntotal 0.3 USD; calls: 3, unpriced: 1\nincluded: 0.1 USD at list price, covered by a subscription\n")
	assert.EqualValues(t, "0.1", s.Sums(false).Subscription)
}

func TestSummaryOfUpstreams(t *testing.T) {
	t.Parallel()
	s := costs.NewSummary()
	s.Record(calls.Record{Provider: models.OpenAI, Model: "m", Platform: "openrouter", USD: "0.1", BYOK: true, UpstreamUSD: "2"})
	var text strings.Builder
	require.NoError(t, s.Write(&text, false))
	assert.Contains(t, text.String(), "\ntotal 0.1 USD; calls: 1, unpriced: 0\nnot included: 2 USD billed by providers behind OpenRouter\n")
}

// 0 is only shown if the cost is known.
func TestSummaryOfUnknownCosts(t *testing.T) {
	t.Parallel()
	s := costs.NewSummary()
	s.Record(calls.Record{Provider: models.OpenAI, Model: "m", Unpriced: prices.ErrUnpriced.Error() + ": no price"})
	var text strings.Builder
	require.NoError(t, s.Write(&text, false))
	assert.Regexp(t, `(?m)^openai +m +1 +0 +0 +1 +-$`, text.String())
	assert.Regexp(t, `(?m)^total unknown; calls: 1, unpriced: 1$`, text.String())
	assert.Regexp(t, `(?m)^unpriced: 1 of openai/m: no price$`, text.String())
	s.Record(calls.Record{Provider: models.OpenAI, Model: "free", USD: "0"})
	text.Reset()
	require.NoError(t, s.Write(&text, false))
	assert.Regexp(t, `(?m)^openai +free +1 +0 +0 +0 +0$`, text.String())
	assert.Regexp(t, `(?m)^total 0 USD; calls: 2, unpriced: 1$`, text.String())
}

func TestSummaryOfLowerBounds(t *testing.T) {
	t.Parallel()
	s := costs.NewSummary()
	for _, r := range []calls.Record{
		{Provider: models.Anthropic, Model: "m", BoundUSD: "0.0358625", Unpriced: "closed"}, {Provider: models.Anthropic, Model: "m", USD: "1"},
		{Provider: models.OpenAI, Model: "n", Unpriced: "closed"}, {Provider: models.XAI, Model: "o", USD: "0.1"},
	} {
		s.Record(r)
	}
	var text strings.Builder
	require.NoError(t, s.Write(&text, false))
	assert.Regexp(t, `(?m)^anthropic +m +2 +0 +0 +1 +at least 1\.0358625$`, text.String())
	assert.Regexp(t, `(?m)^openai +n +1 +0 +0 +1 +-$`, text.String())
	assert.Regexp(t, `(?m)^xai +o +1 +0 +0 +0 +0\.1$`, text.String())
	assert.Regexp(t, `(?m)^total at least 1\.1358625 USD; calls: 4, unpriced: 2$`, text.String())
	count, unbounded := s.Calls()
	assert.Equal(t, []int{4, 1}, []int{count, unbounded})
}
