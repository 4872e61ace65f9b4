// Package costs sums calls files, with bills next to them, for tables, CSV and one-line
// summaries.
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
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Sums are what mesh usage prints.
type Sums struct {
	By       []string      `json:"by"`
	Rows     []calls.Group `json:"rows"`
	Calls    int           `json:"calls"`
	Unpriced int           `json:"unpriced"`
	// USD is the exact sum of known costs.
	USD prices.USD `json:"usd"`
	// WithoutLine counts calls that only appear in session totals. Notes describes other
	// differences from these totals.
	WithoutLine int      `json:"without_a_line,omitempty"`
	Notes       []string `json:"notes,omitempty"`
	// AtLeastUSD adds the lower bounds for unpriced calls to USD.
	AtLeastUSD prices.USD `json:"at_least_usd"`
	// Subscription is the share of USD at list price that a subscription covers.
	Subscription prices.USD `json:"subscription"`
	// UpstreamUSD is billed by providers behind OpenRouter, in addition to USD.
	UpstreamUSD prices.USD `json:"upstream_usd"`
	Reasons     []Reason   `json:"reasons"`
	// Budgets has an entry per --budget.
	Budgets []report.Budget `json:"budgets,omitempty"`
	// Part is set if calls were selected by time. Budgets without a period ignore that.
	Part bool `json:"-"`
	// First and Last are days, such as "2026-11-21", or "" if there are no calls.
	First string `json:"-"`
	Last  string `json:"-"`
	// Period is for people; see table.Period.
	Period string `json:"-"`
	// OldPrices says how old the price table is, or "" up to 14 days.
	OldPrices string `json:"-"`
	// Promotions has a text per model whose promotional price may have ended.
	Promotions []string `json:"-"`
	// Errors are unreadable lines, which no sum includes.
	Errors []string `json:"errors,omitempty"`

	models     []calls.Group // by provider and model, and possibly by more
	incomplete bool          // some calls weren't counted
}

// Reason says why calls have no known cost.
type Reason struct {
	Text  string `json:"reason"`
	Calls int    `json:"calls"`
}

func newSums(by []string) *Sums {
	return &Sums{
		By: append([]string{}, by...), Rows: []calls.Group{}, USD: "0", AtLeastUSD: "0", Subscription: "0", UpstreamUSD: "0", Reasons: []Reason{},
	}
}

// Read sums calls files, grouped by names. If some lines are unreadable, it returns an
// error and the sums of the others.
func Read(by []string, opts calls.Options, paths ...string) (*Sums, error) {
	opts.By = [][]string{by, {calls.ByProvider, calls.ByModel, calls.ByDay, calls.ByUnpriced}}
	all, err := calls.Sum(opts, paths...)
	r := newSums(by)
	if len(all) > 0 { // the options are valid
		r.Rows, r.models = append(r.Rows, all[0]...), all[1]
		if slices.Contains(by, calls.ByProvider) && slices.Contains(by, calls.ByModel) {
			r.models = all[0]
		}
		r.addAll(all[1])
	}
	return r, err
}

// addAll adds up groups by day and unpriced.
func (r *Sums) addAll(groups []calls.Group) {
	reasons := map[string]int{}
	for i := range groups {
		g := &groups[i]
		r.addTotal(g)
		reasons[g.Value(calls.ByUnpriced)] += g.Unpriced
		day := g.Value(calls.ByDay)
		r.First, r.Last = min(cmp.Or(r.First, day), day), max(r.Last, day)
	}
	for _, text := range slices.Sorted(maps.Keys(reasons)) {
		if reasons[text] > 0 {
			r.Reasons = append(r.Reasons, Reason{text, reasons[text]})
		}
	}
	slices.SortStableFunc(r.Reasons, func(a, b Reason) int { return cmp.Compare(b.Calls, a.Calls) })
}

func (r *Sums) addTotal(g *calls.Group) {
	r.Calls += g.Calls
	r.Unpriced += g.Unpriced
	r.WithoutLine += g.WithoutLine
	r.USD, r.AtLeastUSD = r.USD.Add(g.USD), r.AtLeastUSD.Add(g.AtLeastUSD)
	r.Subscription, r.UpstreamUSD = r.Subscription.Add(g.SubscriptionUSD), r.UpstreamUSD.Add(g.UpstreamUSD)
}

// AddPromotions sets Promotions, however the rows are grouped.
func (r *Sums) AddPromotions(list *prices.List, now time.Time) {
	asked := map[[2]string]bool{}
	for _, group := range r.models {
		provider, model := group.Value(calls.ByProvider), group.Value(calls.ByModel)
		if asked[[2]string{provider, model}] {
			continue
		}
		asked[[2]string{provider, model}] = true
		row, _ := list.Price(models.Provider(provider), model, now)
		if through := prices.GuaranteedThrough(row.Source); through != "" && through < r.Last {
			r.Promotions = append(r.Promotions, fmt.Sprintf("%s has a promotional price, which was guaranteed through %s only and may have ended", output.Line(model), through))
		}
	}
}

// Summary sums calls by model for mesh meter. It may be used concurrently.
type Summary struct {
	mu                    sync.Mutex
	models, unpriced, all *calls.Totals
	// calls that cost nothing
	failed map[cause]int
}

// cause is platform, provider, model, and why there is no cost.
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

func (s *Summary) causes() map[cause]int {
	causes := map[cause]int{}
	for _, g := range s.unpriced.Groups() {
		if g.Unpriced > 0 {
			causes[cause(g.Values)] = g.Unpriced
		}
	}
	return causes
}

// Sums returns sums by model, and why calls are unpriced. If incomplete is set,
// some calls weren't counted, and the total is a lower bound.
func (s *Summary) Sums(incomplete bool) *Sums {
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := newSums([]string{"platform", "provider", "model"})
	sums.incomplete = incomplete
	sums.Rows = append(sums.Rows, s.models.Groups()...)
	if !slices.ContainsFunc(sums.Rows, func(row calls.Group) bool { return row.Value(calls.ByPlatform) != "" }) { // as in most programs
		sums.By = sums.By[1:]
		for i := range sums.Rows {
			row := &sums.Rows[i]
			row.Values, row.Names = row.Values[1:], row.Names[1:]
		}
	}
	causes := s.causes()
	for _, c := range sorted(causes) {
		sums.Reasons = append(sums.Reasons, Reason{Text: c.owner() + ": " + c[3], Calls: causes[c]})
	}
	for _, total := range s.all.Groups() {
		sums.addTotal(&total)
	}
	return sums
}

// Write writes the mesh usage table, and why calls are unpriced or failed.
func (s *Summary) Write(w io.Writer, incomplete bool) error {
	if err := s.Sums(incomplete).write(w); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(writeCauses(w, "unpriced", s.causes()), writeCauses(w, "failed", s.failed))
}

// Calls returns the number of calls, and how many have not even a lower bound for their
// cost.
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

func sorted(calls map[cause]int) []cause {
	return slices.SortedFunc(maps.Keys(calls), func(a, b cause) int { return slices.Compare(a[:], b[:]) })
}

// owner formats a cause's model, such as "openai/gpt-5.2" or "gpt-5.2 on azure".
func (c cause) owner() string {
	text := c[1] + "/" + cmp.Or(c[2], "?")
	if c[0] != "" {
		text = strings.TrimPrefix(text, "/") + " on " + c[0]
	}
	return text
}
