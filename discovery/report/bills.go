package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Verdict is what a bill and the calls have in common.
type Verdict string

// The verdicts.
const (
	// VerdictWithin means that they differ by at most the limit, VerdictOver that they differ by more.
	VerdictWithin Verdict = "within"
	VerdictOver   Verdict = "over"
	// VerdictUnknown means that nothing was billed, that there are no calls, or that it is Bill.Verdict.
	VerdictUnknown Verdict = "unknown"
)

// Comparison is a bill beside the calls of its provider and its time. Calls on other platforms are on another bill, and
// calls of a subscription on none.
type Comparison struct {
	Provider models.Provider `json:"provider"`
	From     time.Time       `json:"from"`
	To       time.Time       `json:"to"`
	Verdict  Verdict         `json:"verdict"`
	// Limit is the largest difference of VerdictWithin, as a fraction.
	Limit float64 `json:"limit"`
	// BilledUSD is the sum of the bill, CountedUSD the known cost of the calls, and DifferenceUSD the bill less the calls. Difference is
	// its size as a fraction of the bill, or with OfCounted of CountedUSD.
	BilledUSD     string   `json:"billed_usd"`
	CountedUSD    string   `json:"counted_usd"`
	DifferenceUSD string   `json:"difference_usd"`
	Difference    *float64 `json:"difference"`
	// OfCounted reports whether Limit and Difference are fractions of CountedUSD, as with Bill.Verdict.
	OfCounted bool `json:"of_counted"`
	Calls     int  `json:"calls"`
	// Unpriced is the number of calls whose cost is not known, which may explain a difference.
	Unpriced int `json:"unpriced"`
	// Cells is the number of pairs of day and model. Rows are at most six that differ by a cent or more, the largest difference first,
	// and Others all the rest.
	Cells  int             `json:"cells"`
	Rows   []ComparisonRow `json:"rows"`
	Others ComparisonRow   `json:"others"`
}

// ComparisonRow is a day and a model of a bill. Builds of a model have the name of the model.
type ComparisonRow struct {
	Day string `json:"day"`
	// Model is "" for what the bill has without a model; if the whole bill has none, the rows are days.
	Model string `json:"model"`
	// Cells is the number of pairs in the row: 1, except in Others.
	Cells         int    `json:"cells"`
	BilledUSD     string `json:"billed_usd"`
	CountedUSD    string `json:"counted_usd"`
	DifferenceUSD string `json:"difference_usd"`
	Unpriced      int    `json:"unpriced"`
}

const (
	// defaultLimit is the largest difference of a bill, in percent.
	defaultLimit = 2
	// maxDifferences is the number of rows of a bill.
	maxDifferences = 6
)

// billSum is a bill by day and model.
type billSum struct {
	Bill
	rows map[cell]decimal.Decimal
	// byModel reports whether the bill names models. Otherwise only days are compared.
	byModel bool
}

// cell is a day and a model, in the provider's own spelling without its build: bills name some calls so.
type cell struct{ day, model string }

func newBills(bills []Bill) (sums []*billSum, err error) {
	for i := range bills {
		sum, err := newBill(&bills[i])
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

func newBill(b *Bill) (*billSum, error) {
	sum := &billSum{Bill: *b, rows: map[cell]decimal.Decimal{}}
	p, err := models.ParseProvider(string(b.Provider))
	switch {
	case err != nil:
		return nil, err
	case !b.From.Before(b.To):
		return nil, invalid("Bills.To", "must be after From")
	case !(b.LimitPercent >= 0): // NaN too
		return nil, invalid("Bills.LimitPercent", "must not be negative")
	}
	sum.Provider = p
	sum.byModel = slices.ContainsFunc(b.Rows, func(r BillRow) bool { return r.Model != "" })
	for _, row := range b.Rows {
		usd, ok := signed(row.USD)
		if _, err := time.Parse(time.DateOnly, row.Day); err != nil || !ok {
			return nil, invalid("Bills.Rows", "must have a day such as 2026-11-21 and a plain decimal")
		}
		key := cell{day: row.Day}
		if row.Model != "" {
			key.model = models.NormalizeModelID(p, row.Model)
		}
		sum.rows[key] = sum.rows[key].Add(usd)
	}
	return sum, nil
}

// signed parses a plain decimal that can be negative.
func signed(text string) (decimal.Decimal, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	d, ok := decimal.ParsePlain(digits)
	if negative {
		d = d.Neg()
	}
	return d, ok
}

// billed is what the calls of a bill cost.
type billed struct {
	cells map[cell]*tally
	// names has the names of models in a bill, by those of the calls.
	names map[string]string
}

func newBilled() *billed { return &billed{cells: map[cell]*tally{}, names: map[string]string{}} }

func (c *collector) addBills(one *call) {
	for i, b := range c.bills {
		if one.Provider == b.Provider && one.Platform == "" && !one.subscribed && !one.Time.Before(b.From) && one.Time.Before(b.To) {
			c.billed[i].add(one, b)
		}
	}
}

func (s *billed) add(c *call, b *billSum) {
	key := cell{day: dayText(c.day)}
	if b.byModel {
		key.model = s.name(c.id)
	}
	s.cell(key).add(c)
}

// name returns the name of a model in a bill.
func (s *billed) name(id ModelID) string {
	name, known := s.names[id.Model]
	if !known {
		name = models.NormalizeModelID(id.Provider, id.Model)
		if len(s.names) < maxModels {
			s.names[id.Model] = name
		}
	}
	return name
}

// maxCells bounds the pairs of day and model; what is beyond has no model.
const maxCells = 100_000

func (s *billed) cell(key cell) *tally {
	if s.cells[key] == nil && len(s.cells) >= maxCells {
		key.model = ""
	}
	sum := s.cells[key]
	if sum == nil {
		sum = &tally{}
		s.cells[key] = sum
	}
	return sum
}

func (s *billed) merge(o *billed) {
	for key, more := range o.cells {
		s.cell(key).merge(more)
	}
}

// compare returns the bill beside the calls.
func (b *billSum) compare(counted *billed) Comparison {
	limit := cmp.Or(b.LimitPercent, defaultLimit)
	c := Comparison{Provider: b.Provider, From: b.From.UTC(), To: b.To.UTC(), Limit: limit / 100, Rows: []ComparisonRow{}}
	var rows []comparedRow
	var total comparedRow
	for key := range keys(b.rows, counted.cells) {
		sum := counted.cells[key].orEmpty()
		row := comparedRow{cell: key, billed: b.rows[key], counted: sum.total(), unpriced: sum.unpriced}
		c.Calls += sum.calls
		rows = append(rows, row)
		total.add(&row)
	}
	c.Cells, c.Unpriced = len(rows), total.unpriced
	c.BilledUSD, c.CountedUSD, c.DifferenceUSD = total.billed.String(), total.counted.String(), total.difference().String()
	c.Difference = ratio(absolute(total.difference()), absolute(total.billed))
	if c.Verdict = verdict(&total, c.Calls, limit); c.Verdict != VerdictUnknown && b.Verdict != "" {
		c.Verdict, c.OfCounted, c.Limit = b.Verdict, true, b.LimitPercent/100
		c.Difference = ratio(absolute(total.difference()), total.counted)
	}
	c.fill(rows)
	return c
}

// comparedRow is a row of a comparison.
type comparedRow struct {
	cell
	billed, counted decimal.Decimal
	unpriced        int
}

func (r *comparedRow) add(more *comparedRow) {
	r.billed, r.counted, r.unpriced = r.billed.Add(more.billed), r.counted.Add(more.counted), r.unpriced+more.unpriced
}

func (r *comparedRow) difference() decimal.Decimal { return r.billed.Sub(r.counted) }

func (r *comparedRow) row(cells int) ComparisonRow {
	return ComparisonRow{
		Day: r.day, Model: r.model, Cells: cells, BilledUSD: r.billed.String(), CountedUSD: r.counted.String(),
		DifferenceUSD: r.difference().String(), Unpriced: r.unpriced,
	}
}

// fill sets the rows with the largest differences, and the others.
func (c *Comparison) fill(rows []comparedRow) {
	slices.SortFunc(rows, func(a, b comparedRow) int {
		return cmp.Or(absolute(b.difference()).Cmp(absolute(a.difference())), cmp.Compare(a.day, b.day), cmp.Compare(a.model, b.model))
	})
	cent := decimal.New(1, 2)
	var others comparedRow
	for i := range rows {
		if i < maxDifferences && absolute(rows[i].difference()).Cmp(cent) >= 0 {
			c.Rows = append(c.Rows, rows[i].row(1))
		} else {
			others.add(&rows[i])
		}
	}
	c.Others = others.row(len(rows) - len(c.Rows))
}

// verdict returns whether a bill differs by at most limit percent.
func verdict(total *comparedRow, calls int, limit float64) Verdict {
	if calls == 0 || total.billed.IsZero() {
		return VerdictUnknown
	}
	allowed := decimal.FromFloat(limit)
	allowed.Mul(allowed, absolute(total.billed).Shift(2).Rat())
	if absolute(total.difference()).Rat().Cmp(allowed) > 0 {
		return VerdictOver
	}
	return VerdictWithin
}

func absolute(d decimal.Decimal) decimal.Decimal {
	if d.Sign() < 0 {
		return d.Neg()
	}
	return d
}

// keys returns the keys of two maps.
func keys[K comparable, A, B any](a map[K]A, b map[K]B) map[K]struct{} {
	all := make(map[K]struct{}, len(a))
	for key := range maps.Keys(a) {
		all[key] = struct{}{}
	}
	for key := range maps.Keys(b) {
		all[key] = struct{}{}
	}
	return all
}
