// Package costs shows the sums of calls files, and bills beside them: as a table, as CSV, and as a line.
package costs

import (
	"cmp"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Report has the sums of calls, as mesh usage prints them.
type Report struct {
	By       []string      `json:"by"`
	Rows     []calls.Group `json:"rows"`
	Calls    int           `json:"calls"`
	Unpriced int           `json:"unpriced"`
	// USD is the exact sum of the known costs.
	USD prices.USD `json:"usd"`
	// AtLeastUSD is USD and what the unpriced calls cost at least.
	AtLeastUSD prices.USD `json:"at_least_usd"`
	// Subscription is the part of USD that is the list price of calls of a subscription, and not a charge.
	Subscription prices.USD `json:"subscription"`
	// UpstreamUSD is what the providers behind OpenRouter bill besides USD.
	UpstreamUSD prices.USD `json:"upstream_usd"`
	Reasons     []Reason   `json:"reasons"`
	// Budgets are what is left of those of --budget.
	Budgets []report.Budget `json:"budgets,omitempty"`
	// Part reports whether calls were selected by their time, which a budget without a period is not about.
	Part bool `json:"-"`
	// First and Last are the days of the first and the last call, as "2026-11-21"; "" without calls.
	First string `json:"-"`
	Last  string `json:"-"`
	// Period is the time of the calls for people, as table.Period returns it.
	Period string `json:"-"`
	// OldPrices is how old the price table is; "" up to 14 days.
	OldPrices string `json:"-"`
	// Errors are the lines that cannot be read, which are in no sum.
	Errors []string `json:"errors,omitempty"`

	incomplete bool // there were other calls
}

// Reason is why the cost of calls is not known.
type Reason struct {
	Text  string `json:"reason"`
	Calls int    `json:"calls"`
}

// newReport returns a report without calls.
func newReport(by []string) *Report {
	return &Report{
		By: append([]string{}, by...), Rows: []calls.Group{}, USD: "0", AtLeastUSD: "0", Subscription: "0", UpstreamUSD: "0", Reasons: []Reason{},
	}
}

// Read adds up calls files by some names. With an error the report has the lines that could be read.
func Read(by []string, opts calls.Options, paths ...string) (*Report, error) {
	opts.By = [][]string{by, {"unpriced"}, nil, {"day"}}
	all, err := calls.Sum(opts, paths...)
	r := newReport(by)
	if len(all) > 0 { // the options are valid
		r.Rows = append(r.Rows, all[0]...)
		r.addReasons(all[1])
		r.setTotal(all[2])
		for _, day := range all[3] { // sorted
			r.First, r.Last = cmp.Or(r.First, day.By[0]), day.By[0]
		}
	}
	return r, err
}

// setTotal sets the sums of all calls, which are one group; none without calls.
func (r *Report) setTotal(total []calls.Group) {
	for i := range total {
		g := &total[i]
		r.Calls, r.Unpriced, r.USD, r.AtLeastUSD, r.Subscription, r.UpstreamUSD = g.Calls, g.Unpriced, g.USD, g.AtLeastUSD, g.Subscription, g.UpstreamUSD
	}
}

// addReasons adds the reasons of unpriced calls, the most frequent first.
func (r *Report) addReasons(rows []calls.Group) {
	for _, row := range rows {
		if row.Unpriced > 0 {
			r.Reasons = append(r.Reasons, Reason{row.By[0], row.Unpriced})
		}
	}
	slices.SortStableFunc(r.Reasons, func(a, b Reason) int { return cmp.Compare(b.Calls, a.Calls) })
}
