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
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Summary adds up calls by model, as mesh meter prints them.
type Summary struct {
	mu          sync.Mutex
	models, all *calls.Totals
	// unbounded is the number of unpriced calls of which nothing is known.
	unbounded int
	// unpriced and failed count calls by why they have no known cost, or cost nothing.
	unpriced, failed map[cause]int
}

type model struct {
	platform string
	provider models.Provider
	name     string
}

// cause is why calls of a model have no known cost, or cost nothing.
type cause struct {
	model
	text string
}

// NewSummary returns an empty Summary.
func NewSummary() *Summary {
	models, _ := calls.NewTotals("platform", "provider", "model") // these names are valid
	all, _ := calls.NewTotals()
	return &Summary{models: models, all: all, unpriced: map[cause]int{}, failed: map[cause]int{}}
}

// Record adds a call.
func (s *Summary) Record(r calls.Record) {
	key := model{r.Platform, r.Provider, r.Model}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Status >= http.StatusBadRequest {
		s.failed[cause{key, fmt.Sprintf("the response had status %d", r.Status)}]++
	}
	if r.USD == "" {
		if r.BoundUSD == "" {
			s.unbounded++
		}
		s.unpriced[cause{key, r.Unpriced}]++
	}
	_, _ = s.models.Add(r), s.all.Add(r) // what a meter counts is valid
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
	for _, c := range slices.SortedFunc(maps.Keys(s.unpriced), compareCauses) {
		report.Reasons = append(report.Reasons, Reason{Text: named(c.model) + ": " + c.text, Calls: s.unpriced[c]})
	}
	report.setTotal(s.all.Groups())
	return report
}

// Write writes the table of mesh usage, and why calls are unpriced or have failed.
func (s *Summary) Write(w io.Writer, incomplete bool) error {
	report := s.Report(incomplete)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := report.sums(w); err != nil {
		return err
	}
	if err := writeCauses(w, "unpriced", s.unpriced); err != nil {
		return err
	}
	return writeCauses(w, "failed", s.failed)
}

// Calls returns the number of calls, and the number of unpriced calls without even a known part of the cost.
func (s *Summary) Calls() (calls, unbounded int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.all.Groups() {
		calls = g.Calls
	}
	return calls, s.unbounded
}

func writeCauses(w io.Writer, what string, calls map[cause]int) error {
	for _, c := range slices.SortedFunc(maps.Keys(calls), compareCauses) {
		if _, err := fmt.Fprintf(w, "%s: %d of %s: %s\n", what, calls[c], output.Line(named(c.model)), output.Line(Cause(c.text))); err != nil {
			return err
		}
	}
	return nil
}

func named(m model) string {
	text := string(m.provider) + "/" + cmp.Or(m.name, "?")
	if m.platform != "" {
		text = strings.TrimPrefix(text, "/") + " on " + m.platform
	}
	return text
}

func compareModels(a, b model) int {
	return cmp.Or(cmp.Compare(a.platform, b.platform), cmp.Compare(a.provider, b.provider), cmp.Compare(a.name, b.name))
}

func compareCauses(a, b cause) int {
	return cmp.Or(compareModels(a.model, b.model), cmp.Compare(a.text, b.text))
}
