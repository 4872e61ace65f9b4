package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const (
	historyDays      = 90
	seed             = 90
	busyDays, busier = 10, 2 // team search doubles its calls in the last 10 days
)

type program struct {
	provider                      models.Provider
	model, path, team             string
	perDay, input, cached, output int // on average
	// usage formats the usage object: [1] input, [2] cached input, [3] uncached input,
	// [4] output, [5] all tokens
	usage string
}

const responses = `{"input_tokens":%[1]d,"input_tokens_details":{"cached_tokens":%[2]d},"output_tokens":%[4]d,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%[5]d}`

var programs = []program{
	{models.OpenAI, "gpt-5.2", "/v1/responses", "search", 40, 6000, 3000, 500, responses},
	{models.OpenAI, "gpt-4o-mini", "/v1/responses", "support", 60, 20000, 4000, 2500, responses},
	{
		models.Anthropic, "claude-sonnet-5", "/v1/messages", "support", 15, 8000, 4000, 700,
		`{"input_tokens":%[3]d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%[2]d,"output_tokens":%[4]d}`,
	},
	{
		models.Gemini, "gemini-3-flash-preview", "/v1beta/models/gemini-3-flash-preview:generateContent", "reports", 20, 9000, 0, 900,
		`{"promptTokenCount":%[1]d,"candidatesTokenCount":%[4]d,"totalTokenCount":%[5]d}`,
	},
}

func (s *story) history(ctx context.Context, log *calls.Log) error {
	random := rand.New(rand.NewPCG(seed, historyDays)) //nolint:gosec // the numbers must be the same in every run
	count := 0
	for ago := historyDays; ago > 0; ago-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, p := range programs {
			n := p.perDay/2 + random.IntN(p.perDay)
			if p.team == "search" && ago <= busyDays {
				n *= busier
			}
			for range n {
				at := s.day(ago).Add(time.Duration(random.IntN(24*60*60)) * time.Second)
				r, err := p.call(random, at)
				if err != nil {
					return err
				}
				log.Record(r)
				count++
			}
		}
	}
	s.section("90 days of calls")
	s.line("%d calls of three teams in %s", count, s.path(callsFolder))
	return log.Err()
}

func (p *program) call(random *rand.Rand, at time.Time) (calls.Record, error) {
	around := func(n int) int { return n/2 + random.IntN(n+1) }
	input := around(p.input)
	cached, output := min(around(p.cached), input), around(p.output)
	r := calls.Record{
		Provider: p.provider, Model: p.model, Path: p.path, Time: at, Labels: map[string]string{"team": p.team},
		Status: http.StatusOK, Duration: time.Duration(400+random.IntN(4000)) * time.Millisecond,
	}
	const failing = 50
	if random.IntN(failing) == 0 {
		r.Status, r.USD = http.StatusTooManyRequests, "0"
		return r, nil
	}
	r.Usage = fmt.Appendf(nil, p.usage, input, cached, input-cached, output, input+output)
	call, err := r.Call()
	if err != nil {
		return r, err
	}
	cost, err := prices.BuiltIn().CostOf(call)
	r.USD, r.SourceKey = cost.USD, cost.SourceKey
	return r, err
}

const billDays = 28

func (s *story) bill() (*bills.Comparison, error) {
	groups, err := calls.Sum(calls.Options{
		From: s.day(billDays), To: s.today, By: [][]string{{calls.ByDay, calls.ByModel, calls.ByProvider, calls.ByPlatform, calls.ByBilling}},
	}, s.path(callsFolder))
	if err != nil {
		return nil, err
	}
	var buckets []any
	for ago := billDays; ago > 0; ago-- {
		var items []any
		day := s.day(ago)
		for _, g := range groups[0] {
			if g.Value(calls.ByDay) != day.Format(time.DateOnly) || g.Value(calls.ByProvider) != string(models.OpenAI) {
				continue
			}
			if items, err = s.addItems(items, &g, ago); err != nil {
				return nil, err
			}
		}
		buckets = append(buckets, map[string]any{
			"object": "bucket", "start_time": day.Unix(), "end_time": s.day(ago - 1).Unix(), "results": items,
		})
	}
	text, err := json.MarshalIndent(map[string]any{"object": "page", "data": buckets, "has_more": false, "next_page": nil}, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.path(billFile), text, 0o600); err != nil {
		return nil, err
	}
	r, err := discovery.ReadOpenAIBill(bytes.NewReader(text), discovery.BillOptions{})
	if err != nil {
		return nil, err
	}
	c, err := r.WithCalls(groups[0]).Compare(bills.DefaultLimitPercent)
	if err != nil {
		return nil, err
	}
	s.section("OpenAI's bill for the last 28 days, compared with the calls")
	for _, sentence := range c.Sentences() {
		s.line("%s", sentence)
	}
	return c, nil
}

// addItems adds a line item per token kind. One day has triple the tokens, another one
// double the price: the comparison must find both.
func (s *story) addItems(items []any, g *calls.Group, ago int) ([]any, error) {
	model, more, price := g.Value(calls.ByModel), int64(1), int64(1)
	switch {
	case model == "gpt-5.2" && ago == 9:
		more = 3
	case model == "gpt-4o-mini" && ago == 4:
		price = 2
	}
	input, cached, output := g.Usage.Input*more, g.Usage.CacheRead*more, g.Usage.Output*more
	for _, item := range []struct {
		kind   string
		tokens int64
		usage  prices.Usage
	}{
		{"input", input, prices.Usage{Input: input * price}},
		{"cached input", cached, prices.Usage{CacheRead: cached * price}},
		{"output", output, prices.Usage{Output: output * price}},
	} {
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.OpenAI, Model: model, Usage: item.usage, At: s.day(ago)})
		if err != nil {
			return nil, err
		}
		items = append(items, map[string]any{
			"object": "organization.costs.result", "line_item": model + ", " + item.kind, "quantity": item.tokens, "quantity_unit": "tokens",
			"amount": map[string]any{"value": json.Number(cost.USD), "currency": "usd"},
		})
	}
	return items, nil
}
