// Package costs shows the sums of calls files, and bills beside them: as a table, as CSV, and as a line.
package costs

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

// Report has the sums of calls, as mesh usage prints them.
type Report struct {
	By       []string      `json:"by"`
	Rows     []calls.Group `json:"rows"`
	Calls    int           `json:"calls"`
	Unpriced int           `json:"unpriced"`
	// USD is the exact sum of the known costs.
	USD string `json:"usd"`
	// AtLeastUSD is USD and what the unpriced calls cost at least.
	AtLeastUSD string `json:"at_least_usd"`
	// Subscription is the part of USD that is the list price of calls of a subscription, and not a charge.
	Subscription string `json:"subscription"`
	// UpstreamUSD is what the providers behind OpenRouter bill besides USD.
	UpstreamUSD string   `json:"upstream_usd"`
	Reasons     []Reason `json:"reasons"`
	// Budgets are what is left of those of --budget.
	Budgets []report.Budget `json:"budgets,omitempty"`
	// Part reports whether calls were selected by their time, which a budget without a period is not about.
	Part bool `json:"-"`
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
func Read(by []string, opts calls.SumOptions, paths ...string) (*Report, error) {
	opts.By = [][]string{by, {"unpriced"}}
	all, err := calls.Sum(opts, paths...)
	r := newReport(by)
	if len(all) > 0 { // the options are valid
		r.Rows = append(r.Rows, all[0]...)
		r.addUp()
		r.addReasons(all[1])
	}
	if err != nil {
		r.Errors = strings.Split(output.Error(err), "\n")
	}
	return r, err
}

// addUp sets the sums of all rows.
func (r *Report) addUp() {
	total := newGroup()
	for i := range r.Rows {
		add(total, &r.Rows[i])
	}
	r.Calls, r.Unpriced, r.USD, r.AtLeastUSD = total.Calls, total.Unpriced, total.USD, total.AtLeastUSD
	r.Subscription, r.UpstreamUSD = total.Subscription, total.UpstreamUSD
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

// newGroup returns a sum of no calls.
func newGroup(by ...string) *calls.Group {
	return &calls.Group{By: by, USD: "0", FeesUSD: "0", AtLeastUSD: "0", Subscription: "0", UpstreamUSD: "0"}
}

// add adds a row to a sum.
func add(sum, row *calls.Group) {
	sum.Calls += row.Calls
	sum.Unpriced += row.Unpriced
	sum.USD, sum.AtLeastUSD = costtable.Sum(sum.USD, row.USD), costtable.Sum(sum.AtLeastUSD, row.AtLeastUSD)
	sum.FeesUSD = costtable.Sum(sum.FeesUSD, row.FeesUSD)
	sum.Subscription, sum.UpstreamUSD = costtable.Sum(sum.Subscription, row.Subscription), costtable.Sum(sum.UpstreamUSD, row.UpstreamUSD)
	for _, kind := range kinds {
		*kind.of(&sum.Usage) = count(*kind.of(&sum.Usage), *kind.of(&row.Usage))
	}
	for tool, n := range row.Usage.Requests {
		if sum.Usage.Requests == nil {
			sum.Usage.Requests = make(map[string]int64)
		}
		sum.Usage.Requests[tool] = count(sum.Usage.Requests[tool], n)
	}
}

// count returns the sum of two counts, or the largest int64, as calls.Sum does.
func count(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
