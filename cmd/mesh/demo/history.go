package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const (
	historyDays = 90
	seed        = 90
	// busyDays are the last days, on which the team search makes more calls.
	busyDays, busier = 10, 2
)

// program is what makes calls.
type program struct {
	provider                      models.Provider
	model, path, team             string
	perDay, input, cached, output int // on average
	// usage is the format of the usage object: 1 is the input, 2 its cached part, 3 the other part, 4 the output, and 5 all tokens.
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

// history writes the calls of 90 days.
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

// call returns a call with random counts. One of 50 fails.
func (p *program) call(random *rand.Rand, at time.Time) (calls.Record, error) {
	around := func(n int) int { return n/2 + random.IntN(n+1) }
	input := around(p.input)
	cached, output := min(around(p.cached), input), around(p.output)
	r := calls.Record{
		Provider: p.provider, Model: p.model, Path: p.path, Time: at, Labels: map[string]string{"team": p.team},
		Status: http.StatusOK, Complete: true, Duration: time.Duration(400+random.IntN(4000)) * time.Millisecond,
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
	r.USD, r.Source = cost.USD, cost.Source
	return r, err
}
