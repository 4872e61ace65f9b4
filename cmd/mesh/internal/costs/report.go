// Package costs shows the sums of calls files, and bills beside them: as a table, as CSV, and as a line.
package costs

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
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
	// WithoutLine is the number of records that are no calls: what the totals of sessions have besides their lines. Notes are what differs
	// from those totals.
	WithoutLine int      `json:"without_a_line,omitempty"`
	Notes       []string `json:"notes,omitempty"`
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
	opts.By = [][]string{by, {calls.ByUnpriced}, nil, {calls.ByDay}}
	all, err := calls.Sum(opts, paths...)
	r := newReport(by)
	if len(all) > 0 { // the options are valid
		r.Rows = append(r.Rows, all[0]...)
		r.addReasons(all[1])
		r.setTotal(all[2])
		for _, day := range all[3] { // sorted
			r.First, r.Last = cmp.Or(r.First, day.Value(calls.ByDay)), day.Value(calls.ByDay)
		}
	}
	return r, err
}

// setTotal sets the sums of all calls, which are one group; none without calls.
func (r *Report) setTotal(total []calls.Group) {
	for i := range total {
		g := &total[i]
		r.WithoutLine = g.WithoutLine
		r.Calls, r.Unpriced, r.USD, r.AtLeastUSD, r.Subscription, r.UpstreamUSD = g.Calls, g.Unpriced, g.USD, g.AtLeastUSD, g.Subscription, g.UpstreamUSD
	}
}

// addReasons adds the reasons of unpriced calls, the most frequent first.
func (r *Report) addReasons(rows []calls.Group) {
	for _, row := range rows {
		if row.Unpriced > 0 {
			r.Reasons = append(r.Reasons, Reason{row.Value(calls.ByUnpriced), row.Unpriced})
		}
	}
	slices.SortStableFunc(r.Reasons, func(a, b Reason) int { return cmp.Compare(b.Calls, a.Calls) })
}

// Summary adds up calls by model, as mesh meter prints them.
type Summary struct {
	mu                    sync.Mutex
	models, unpriced, all *calls.Totals
	// failed counts the calls that cost nothing, by why.
	failed map[cause]int
}

// cause has the platform, the provider and the model of calls, and why they have no known cost, or cost nothing.
type cause [4]string

// NewSummary returns an empty Summary.
func NewSummary() *Summary {
	models, _ := calls.NewTotals("platform", "provider", "model") // these names are valid
	unpriced, _ := calls.NewTotals("platform", "provider", "model", "unpriced")
	all, _ := calls.NewTotals()
	return &Summary{models: models, unpriced: unpriced, all: all, failed: map[cause]int{}}
}

// Record adds a call.
func (s *Summary) Record(r calls.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Status >= http.StatusBadRequest {
		s.failed[cause{r.Platform, string(r.Provider), r.Model, fmt.Sprintf("the response had status %d", r.Status)}]++
	}
	for _, totals := range []*calls.Totals{s.models, s.unpriced, s.all} {
		_ = totals.Add(r) // what a meter counts is valid
	}
}

// causes returns how many calls have no known cost, by why.
func (s *Summary) causes() map[cause]int {
	causes := map[cause]int{}
	for _, g := range s.unpriced.Groups() {
		if g.Unpriced > 0 {
			causes[cause(g.By)] = g.Unpriced
		}
	}
	return causes
}

// Report returns the sums by provider and model, and why calls are unpriced. The total of incomplete calls is what they cost at least.
func (s *Summary) Report(incomplete bool) *Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	report := newReport([]string{"platform", "provider", "model"})
	report.incomplete = incomplete
	report.Rows = append(report.Rows, s.models.Groups()...)
	if !slices.ContainsFunc(report.Rows, func(row calls.Group) bool { return row.Value(calls.ByPlatform) != "" }) { // most programs use no platform
		report.By = report.By[1:]
		for i := range report.Rows {
			row := &report.Rows[i]
			row.By, row.Names = row.By[1:], row.Names[1:]
		}
	}
	causes := s.causes()
	for _, c := range sorted(causes) {
		report.Reasons = append(report.Reasons, Reason{Text: c.owner() + ": " + c[3], Calls: causes[c]})
	}
	report.setTotal(s.all.Groups())
	return report
}

// Write writes the table of mesh usage, and why calls are unpriced or have failed.
func (s *Summary) Write(w io.Writer, incomplete bool) error {
	if err := s.Report(incomplete).sums(w); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(writeCauses(w, "unpriced", s.causes()), writeCauses(w, "failed", s.failed))
}

// Calls returns the number of calls, and the number of unpriced calls without even a known part of the cost.
func (s *Summary) Calls() (calls, unbounded int) {
	for _, g := range s.all.Groups() {
		calls, unbounded = g.Calls, g.Unpriced-g.Bounded
	}
	return calls, unbounded
}

func writeCauses(w io.Writer, what string, calls map[cause]int) error {
	for _, c := range sorted(calls) {
		if _, err := fmt.Fprintf(w, "%s: %d of %s: %s\n", what, calls[c], output.Line(c.owner()), output.Line(Cause(c[3]))); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns causes by platform, provider and model.
func sorted(calls map[cause]int) []cause {
	return slices.SortedFunc(maps.Keys(calls), func(a, b cause) int { return slices.Compare(a[:], b[:]) })
}

// owner returns the model of a cause with its provider and platform.
func (c cause) owner() string {
	text := c[1] + "/" + cmp.Or(c[2], "?")
	if c[0] != "" {
		text = strings.TrimPrefix(text, "/") + " on " + c[0]
	}
	return text
}
