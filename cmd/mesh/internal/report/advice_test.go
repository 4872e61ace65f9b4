package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Each rule fires at its threshold and not below it.
func TestRules(t *testing.T) {
	t.Parallel()
	failed := of(priced(at(1), "0"), "gpt-5.2")
	failed.Status = 500
	unpriced := priced(at(1), "")
	unpriced.Unpriced = "the stream has no counts; stream_options.include_usage requests them"
	gone := of(failed, "o4-mini")
	gone.Status = 404
	project := func(r calls.Record, value string) calls.Record { return labelled(r, "project", value) }
	for name, row := range map[string]struct {
		o       report.Options
		records []calls.Record
		codes   []string
	}{
		"nothing":            {report.Options{}, repeat(200, priced(at(1), "1")), []string{}},
		"errors":             {report.Options{}, append(repeat(97, priced(at(1), "1")), repeat(3, failed)...), []string{"errors"}},
		"few errors":         {report.Options{}, append(repeat(98, priced(at(1), "1")), repeat(2, failed)...), []string{}},
		"errors in 99 calls": {report.Options{}, append(repeat(90, priced(at(1), "1")), repeat(9, failed)...), []string{}},
		"unpriced":           {report.Options{}, append(repeat(199, priced(at(1), "1")), unpriced), []string{"unpriced"}},
		"one unpriced":       {report.Options{}, append(repeat(200, priced(at(1), "1")), unpriced), []string{}},
		"retired":            {report.Options{}, repeat(1, gone), []string{"retired"}},
		"retiring":           {report.Options{}, repeat(1, anthropic(priced(at(1), "1"))), []string{"retiring"}},
		"budget":             {report.Options{Budgets: []string{"1/month", "1.99/month"}}, repeat(2, priced(at(1), "1")), []string{"budget"}},
		"budget upstream":    {report.Options{Budgets: []string{"1/month"}}, repeat(1, calls.Record{Provider: "openai", Model: "m", Time: at(1), Status: 200, USD: "0.1", UpstreamUSD: "1"}), []string{"budget"}},
		"budget left":        {report.Options{Budgets: []string{"2/month"}}, repeat(2, priced(at(1), "1")), []string{}},
		"label":              {report.Options{}, join(repeat(1, project(priced(at(40), "1"), "a")), repeat(1, project(priced(at(1), "5"), "a")), repeat(1, project(priced(at(1), "2"), "b"))), []string{"label"}},
		"even labels": {report.Options{}, join(repeat(1, project(priced(at(40), "1"), "a")), func() (all []calls.Record) {
			for i := range 11 {
				all = append(all, project(priced(at(1), "1"), fmt.Sprint("p", i)))
			}
			return all
		}()), []string{}},
		"bill":        {report.Options{Bills: []*bills.Comparison{compared(t, "1", 0, billed("gpt-5.2", "1.03"))}}, repeat(1, priced(at(1), "1")), []string{"bill"}},
		"bill within": {report.Options{Bills: []*bills.Comparison{compared(t, "1", 0, billed("gpt-5.2", "1.02"))}}, repeat(1, priced(at(1), "1")), []string{}},
		"one label":   {report.Options{}, append(repeat(1, project(priced(at(56), "1"), "a")), project(priced(at(1), "5"), "a")), []string{}},
	} {
		r := build(t, row.o, row.records...)
		assert.Equal(t, row.codes, r.Codes, name)
		for _, a := range r.Advice {
			assert.NotEmpty(t, a.Text)
		}
	}
	all := build(t, report.Options{Budgets: []string{"1/month", "2/day/label:project"}}, join(
		repeat(1, project(priced(at(40), "1"), "a")), repeat(95, project(priced(at(1), "5"), "a")), repeat(1, project(priced(at(0), "2.5"), "b")), repeat(5, failed),
		repeat(1, of(gone, "o4-mini")), repeat(1, of(gone, "gpt-4")), repeat(9, unpriced), repeat(1, anthropic(priced(at(1), "2"))))...)
	assert.Equal(t, []string{"retired", "retiring", "budget", "label", "errors", "unpriced"}, all.Codes, "all rules, in order")
	assert.Len(t, all.Advice, 5)
}

// A program that asks for a rule is told about a single call.
func TestRulesThatWereAskedFor(t *testing.T) {
	t.Parallel()
	failed := of(priced(at(1), "0"), "gpt-5.2")
	failed.Status = 500
	unpriced := priced(at(1), "")
	unpriced.Unpriced = "the stream has no counts; stream_options.include_usage requests them"
	broken := of(failed, "gpt-5.2")
	broken.USD, broken.Unpriced = "", "no response"
	retired := of(priced(at(1), "0"), "o4-mini")
	gone := of(failed, "o4-mini")
	gone.Status = 404
	for name, row := range map[string]struct {
		records []calls.Record
		codes   []string
	}{
		"nothing":               {repeat(200, priced(at(1), "1")), nil},
		"1 of 300 unpriced":     {append(repeat(299, priced(at(1), "1")), unpriced), []string{"unpriced"}},
		"unpriced failure":      {append(repeat(299, priced(at(1), "1")), broken), nil},
		"12 of 39 retired":      {append(repeat(27, retired), repeat(12, gone)...), []string{"retired", "errors"}},
		"retired, but answered": {repeat(9, retired), nil},
		"49 of 99 errors":       {append(repeat(50, priced(at(1), "1")), repeat(49, failed)...), []string{"errors"}},
		"2 of 98 errors":        {append(repeat(96, of(priced(at(1), "1"), "gpt-5.2")), repeat(2, failed)...), nil},
	} {
		r := build(t, report.Options{}, row.records...)
		var fired []string
		for _, code := range []string{"retired", "retiring", "budget", "label", "errors", "unpriced"} {
			if len(r.Fired(code)) > 0 {
				fired = append(fired, code)
			}
		}
		assert.Equal(t, row.codes, fired, name)
	}
}

// A label's budget is twice its value's daily cost. If a shell would change the label's
// name, there's no command.
func TestLabelAdvice(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{"team": "mesh meter --budget 0.38/day/label:team -- COMMAND", "a;b": "", "$(x)": ""} {
		r := build(t, report.Options{}, join(
			repeat(1, labelled(priced(at(40), "1"), name, "a")), repeat(1, labelled(priced(at(1), "5.05"), name, "a")), repeat(1, labelled(priced(at(1), "0.2"), name, "b")))...)
		assert.Equal(t, []report.Advice{{Code: "label", Command: command, Text: "Look at " + name + " a, which cost 4.05 USD more than in the 28 days before 25 Oct 2026: 95 % of the increase. " +
			"It cost 0.19 USD a day; a budget of twice that for each " + name + " limits it."}}, r.Advice)
	}
}

func TestAdviceOfASmallBudget(t *testing.T) {
	t.Parallel()
	r := build(t, report.Options{Budgets: []string{"0.001/day"}}, priced(at(0), "0.0029"))
	assert.Equal(t, "The budget 0.001/day is exceeded: 0.0029 USD were spent.", r.Advice[0].Text)
}

// If one value rose more than all calls together, there's no percentage.
func TestAdviceOfMoreThanTheIncrease(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r, err := report.Build(func(yield func(calls.Record, error) bool) {
		for day := range 56 {
			for team, usd := range map[string][2]prices.USD{"up": {"11", "1"}, "down": {"1", "10"}} {
				_ = yield(calls.Record{
					Provider: models.OpenAI, Model: "gpt-5.4", Time: now.AddDate(0, 0, -day-1), USD: usd[day/28], Status: 200, Labels: map[string]string{"team": team},
				}, nil)
			}
		}
	}, report.Options{Now: now})
	require.NoError(t, err)
	texts := ""
	for _, a := range r.Advice {
		texts += a.Text
	}
	assert.Contains(t, texts, "Look at team up, ")
	assert.Contains(t, texts, "more than the whole increase")
	assert.NotContains(t, texts, "% of the increase")
}
