// Package madecalls makes up calls for tests that need a report.
package madecalls

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Now is a Sunday.
var Now = time.Date(2026, 11, 22, 19, 40, 0, 0, time.UTC)

// At returns noon, some days before Now.
func At(daysAgo int) time.Time {
	return time.Date(2026, 11, 22-daysAgo, 12, 0, 0, 0, time.UTC)
}

// made are models; one has no price, and one is retired.
var made = []struct {
	provider models.Provider
	model    string
}{
	{models.OpenAI, "gpt-5.2"}, {models.Anthropic, "claude-opus-5"}, {models.Anthropic, "claude-sonnet-4-5"}, {models.Gemini, "gemini-2.5-flash"},
	{models.OpenAI, "gpt-4o"}, {models.DeepSeek, "deepseek-v4-flash"}, {models.XAI, "grok-4.5"}, {models.OpenAI, "o4-mini"}, {models.OpenAI, "ft:gpt-4.1-mini:acme::Bx3"},
}

// Record makes up a call shortly before Now.
func Record(random *rand.Rand, days int) calls.Record {
	m := made[random.IntN(len(made))]
	r := calls.Record{
		ID: "r" + strconv.Itoa(random.IntN(1e9)), Provider: m.provider, Model: m.model, Time: Now.Add(-time.Duration(random.Int64N(int64(days) * 24 * int64(time.Hour)))),
		Status: 200, Duration: time.Duration(random.ExpFloat64() * 5e9), Attempt: random.IntN(3), SourceKey: "s",
		Labels: map[string]string{"project": "p" + strconv.Itoa(random.IntN(5)), "user": "u" + strconv.Itoa(random.IntN(40)), "thread": "t" + strconv.Itoa(random.IntN(500))},
	}
	if r.Labels["project"] == "p1" {
		r.Billing = calls.Subscription
	}
	if random.IntN(10) == 0 {
		delete(r.Labels, "project")
	}
	r.Usage = usage(random, m.provider)
	switch random.IntN(25) {
	case 0:
		r.Status, r.USD, r.Usage, r.Incomplete = 429+100*random.IntN(2), "0", nil, true
		return r
	case 1:
		r.Unpriced, r.BoundUSD, r.Incomplete, r.Stream = "the response was closed before its final counts", "0.00123", true, true
		return r
	case 2:
		r.Status, r.Usage, r.Unpriced, r.Incomplete = 0, nil, "there was no response", true
		return r
	}
	u, err := prices.ParseUsage(r.Provider, r.Usage)
	if err != nil {
		panic(err)
	}
	cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: r.Provider, Model: r.Model, Usage: u, At: r.Time})
	if r.USD = cost.USD; err != nil {
		r.Unpriced, r.SourceKey = err.Error(), ""
	}
	return r
}

func usage(random *rand.Rand, p models.Provider) json.RawMessage {
	input, output := random.Int64N(60_000)+10, random.Int64N(3000)
	cached := input / (random.Int64N(4) + 1)
	switch p {
	case models.Anthropic:
		return fmt.Appendf(nil, `{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%[2]d,"ephemeral_1h_input_tokens":0}}`,
			input-cached, cached/3, cached-cached/3, output)
	case models.Gemini:
		return fmt.Appendf(nil, `{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d}`, input, output, input+output)
	case models.DeepSeek:
		return fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d}`,
			input, output, input+output, cached, input-cached)
	default:
		return fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`, input, output, input+output, cached)
	}
}

// Sequence returns records as an iterator.
func Sequence(records []calls.Record) iter.Seq2[calls.Record, error] {
	return func(yield func(calls.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Records makes up n calls, the same in every run.
func Records(n, days int) []calls.Record {
	random := rand.New(rand.NewPCG(uint64(n), uint64(days))) //nolint:gosec // the calls are the same in every run
	records := make([]calls.Record, n)
	for i := range records {
		records[i] = Record(random, days)
	}
	return records
}

// Build returns a report at Now.
func Build(t *testing.T, o report.Options, records ...calls.Record) *report.Report {
	t.Helper()
	if o.Now.IsZero() {
		o.Now = Now
	}
	r, err := report.Build(Sequence(records), o)
	require.NoError(t, err)
	return r
}

// Compared is a November bill, compared with gpt-5.2 calls on the 20th.
func Compared(t *testing.T, counted prices.USD, limit float64, items ...bills.Item) *bills.Comparison {
	t.Helper()
	var all []calls.Group
	if counted != "" {
		all = []calls.Group{{Names: []string{calls.ByDay, calls.ByModel}, Values: []string{"2026-11-20", "gpt-5.2"}, Calls: 1, USD: counted, Usage: prices.Usage{Input: 100}}}
	}
	c, err := bills.Compare(&bills.Bill{Provider: models.OpenAI, From: Day("2026-11-20"), To: Day("2026-11-22"), LimitPercent: limit, Items: items}, all)
	require.NoError(t, err)
	return c
}

// Billed is a gpt-5.2 line item for the counted tokens.
func Billed(model string, usd prices.USD) bills.Item {
	n := int64(100)
	return bills.Item{Day: "2026-11-20", Model: model, Kind: "input", USD: usd, Tokens: &n}
}

// Priced returns a gpt-5.2 call with a cost.
func Priced(when time.Time, usd prices.USD) calls.Record {
	return calls.Record{Provider: models.OpenAI, Model: "gpt-5.2", Time: when, Status: http.StatusOK, USD: usd}
}

// Of returns a call with another model.
func Of(r calls.Record, model string) calls.Record {
	r.Model = model
	return r
}

// Labelled returns a call with a label.
func Labelled(r calls.Record, name, value string) calls.Record {
	r.Labels = map[string]string{name: value}
	return r
}

// Repeat returns n calls.
func Repeat(n int, r calls.Record) (all []calls.Record) {
	for range n {
		all = append(all, r)
	}
	return all
}

// Day returns a day's first moment.
func Day(text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return t
}
