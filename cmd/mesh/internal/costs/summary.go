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
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

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
	if !slices.ContainsFunc(report.Rows, func(row calls.Group) bool { return row.By[0] != "" }) { // most programs use no platform
		report.By = report.By[1:]
		for i := range report.Rows {
			report.Rows[i].By = report.Rows[i].By[1:]
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
