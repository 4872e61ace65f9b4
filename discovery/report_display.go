package discovery

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// Table writes the report as a text table: a row per bucket, then the billed amount and,
// if an amount was attributed, that as "counted", and the drift. With calls
// ([ReconciliationReport.WithCalls]), rows are UTC days with billed and counted amounts
// side by side. If the report isn't complete, Table writes only the attributed amount.
//
// Amounts are in cents, or in millionths of a dollar if an amount or difference is below
// a cent. If the bill is grouped by line item or description, a note names items that
// calls can't have, such as storage. If w fails, Table returns that error.
func (r *ReconciliationReport[B]) Table(w io.Writer) error {
	billed, attributed, drift := r.actual(), finiteOrNil(r.AttributedUSD), finiteOrNil(r.DriftUSD)
	places := placesOf(billed, attributed, drift)
	rows := append(r.rows(), []string{"billed", formatUSD(billed, places, "")})
	if attributed != nil {
		rows = append(rows,
			[]string{"counted", formatUSD(attributed, places, "")},
			[]string{"drift", formatUSD(shownDrift(billed, attributed, drift, places), places, "+")},
			[]string{"drift %", formatUSD(r.DriftPct, 2, "+")})
	}
	return r.writeTable(w, rows)
}

// shownDrift returns the difference between the amounts as shown, if both are known.
func shownDrift(billed, counted, drift *float64, places int) *float64 {
	if billed == nil || counted == nil || drift == nil {
		return drift
	}
	round := func(usd float64) decimal.Decimal { return decimal.Round(new(big.Rat).SetFloat64(usd), places) }
	difference := round(*billed).Sub(round(*counted)).Float64()
	return &difference
}

// DayTable writes the rows and notes of Table, without its sums, to show them after
// [bills.Comparison.Sentences], which have the sums. Unless all is set, it writes only
// days whose calls differ from the bill.
func (r *ReconciliationReport[B]) DayTable(w io.Writer, all bool) error {
	rows := r.rows()
	if !all {
		rows = slices.DeleteFunc(rows, func(cells []string) bool { return len(cells) < 3 || cells[1] == cells[2] })
	}
	if len(rows) == 1 {
		rows = nil
	}
	return r.writeTable(w, rows)
}

// writeTable calls Write once, with the rows and notes.
func (r *ReconciliationReport[B]) writeTable(w io.Writer, rows [][]string) error {
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range rows {
		_, _ = fmt.Fprintf(table, "%s\t\n", strings.Join(cells, "\t"))
	}
	_ = table.Flush() // into memory
	for _, note := range r.notes() {
		_, _ = fmt.Fprintln(&out, note)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// rows returns the heading and a row per bucket. With calls, it returns a row per UTC day
// that has a bucket or call. If the bill is unknown, there is only the heading.
func (r *ReconciliationReport[B]) rows() [][]string {
	rows := [][]string{{string(r.Provider), "USD"}}
	switch {
	case r.actual() == nil:
	case r.counted != nil && len(r.counted.groups) > 0:
		return r.comparedRows()
	default:
		shown := r.shownBuckets()
		for i, bucket := range r.Buckets {
			start, _ := bucket.times()
			// the offset is the same in the whole report
			label := strings.TrimSuffix(start.Format(time.DateTime), " 00:00:00")
			usd := bucket.usd()
			rows = append(rows, []string{label, shownUSD(shown[i], usd, placesOf(&usd))})
		}
	}
	return rows
}

func (r *ReconciliationReport[B]) comparedRows() [][]string {
	rows := [][]string{{string(r.Provider), "billed", "counted"}}
	c, err := r.Compare(0)
	if err != nil {
		return rows
	}
	rounded := c.Rounded()
	total := rounded.Total.DriftUSD.Float64()
	for i, day := range c.Days {
		onBill, amount := day.BilledUSD.Float64(), day.CountedUSD.Float64()
		difference := onBill - amount
		places := placesOf(&onBill, &amount, &difference, &total)
		cells := []string{day.Name, shownUSD(money.Exact(rounded.Days[i].BilledUSD), onBill, places), shownUSD(money.Exact(rounded.Days[i].CountedUSD), amount, places)}
		if day.Unpriced > 0 {
			cells[2] += fmt.Sprintf(" + %d unpriced", day.Unpriced)
		}
		if slices.Contains(r.MissingDays, day.Name) {
			cells[1] = "-"
		}
		rows = append(rows, cells)
	}
	return rows
}

// shownBuckets rounds to cents: the buckets add up to the bill.
func (r *ReconciliationReport[B]) shownBuckets() []*big.Rat {
	exact := make([]*big.Rat, len(r.Buckets))
	for i, bucket := range r.Buckets {
		exact[i] = new(big.Rat).SetFloat64(bucket.usd())
	}
	return money.NewSheet(2).Split(new(big.Rat).SetFloat64(r.ActualUSD), exact...)
}

// shownUSD returns an amount in rounded cents, or a smaller one exactly.
func shownUSD(rounded *big.Rat, exact float64, places int) string {
	if places > 2 {
		return formatUSD(&exact, places, "")
	}
	return money.Format{Places: places}.Text(rounded)
}

// actual returns nil if the bill is unknown.
func (r *ReconciliationReport[B]) actual() *float64 {
	if !r.Complete || !r.finiteBill() {
		return nil
	}
	return &r.ActualUSD
}

// maxListed is the maximum number of missing days or line items in a note.
const maxListed = 5

func (r *ReconciliationReport[B]) notes() []string {
	var notes []string
	if !r.Complete {
		notes = append(notes, "not complete: the bill could not be read, so the billed amount is unknown")
	}
	if !r.finiteBill() {
		notes = append(notes, "unknown: the bill has an amount that is not finite")
	}
	if n := len(r.MissingDays); n > maxListed {
		notes = append(notes, fmt.Sprintf("missing in the bill: %s and %d more", strings.Join(r.MissingDays[:maxListed], ", "), n-maxListed))
	} else if n > 0 {
		notes = append(notes, "missing in the bill: "+strings.Join(r.MissingDays, ", "))
	}
	if note := r.countedNote(); note != "" {
		notes = append(notes, note)
	}
	if r.AttributedUSD != nil && r.finiteBill() {
		if note := r.lineItemNote(); note != "" {
			notes = append(notes, note)
		}
	}
	if !r.Settled {
		notes = append(notes, "not settled: the window reaches into today or beyond, so the bill can still grow")
	}
	return notes
}

// placesOf returns 2, or 6 if an amount is below a cent.
func placesOf(amounts ...*float64) int {
	const cent, rounding = 0.01, 1e-9
	for _, usd := range amounts {
		if usd != nil && math.Abs(*usd) > rounding && math.Abs(*usd) < cent-rounding {
			return 6
		}
	}
	return 2
}

// formatUSD returns "-" for nil. plus is the sign of a positive amount.
func formatUSD(f *float64, places int, plus string) string {
	if f == nil || !finite(*f) {
		return "-"
	}
	return money.Format{Places: places, Plus: plus}.Text(new(big.Rat).SetFloat64(*f))
}

// Bill returns line items by UTC day, for [bills.Compare]. For that, the bill must be
// grouped by line item or description, as xAI's bills always are. Otherwise each day is
// one item. A bucket with more than one day counts as its first day. If the bill isn't
// complete or has an amount that isn't finite, there are no items.
func (r *ReconciliationReport[B]) Bill() *bills.Bill {
	end := (calendar.DayNumber(time.Now()) + 1) * calendar.SecondsPerDay // for an open window
	if r.WindowEnd != nil {
		end = *r.WindowEnd
	}
	b := &bills.Bill{Provider: r.Provider, From: time.Unix(r.WindowStart, 0).UTC(), To: time.Unix(end, 0).UTC(), PartialDay: r.PartialDay}
	if r.actual() == nil {
		return b
	}
	name, counted := r.modelNames(), r.countedModels()
	for _, bucket := range r.Buckets {
		day, items := spanOf(bucket).name(), bucket.items()
		for i := range items {
			item := &items[i]
			b.Items = append(b.Items, bills.Item{
				Day: day, Name: item.name, Model: name(item.modelOf(r.Provider, counted)), Kind: item.kindOf(r.Provider), USD: prices.USD(item.usd.String()), Tokens: item.quantity.tokens(),
			})
		}
		if len(items) == 0 {
			b.Items = append(b.Items, bills.Item{Day: day, USD: prices.USD(decimalOf(bucket.usd()).String())})
		}
	}
	return b
}

// tokens returns a number of tokens, or nil for another unit.
func (q Quantity) tokens() *int64 {
	amount, err := decimal.Parse(q.Amount)
	switch {
	case err != nil:
		return nil
	case q.Unit == unitThousandTokens:
		amount = amount.Mul(decimal.New(1000, 0))
	case q.Unit != unitTokens:
		return nil
	}
	n := new(big.Int).Quo(amount.Rat().Num(), amount.Rat().Denom())
	if !n.IsInt64() {
		return nil
	}
	whole := n.Int64()
	return &whole
}

// Token units.
const (
	unitTokens         = "tokens"
	unitThousandTokens = "1000_tokens"
)

type billedItem struct {
	name string
	// model and kind come from the provider's own fields, or are "".
	model, kind string
	usd         decimal.Decimal
	// quantity is the zero Quantity if unknown.
	quantity Quantity
}

func (b CostBucket) items() []billedItem {
	if items := anthropicItems(b.RawResults, b.UsageResults); items != nil && len(b.LineItemBreakdown) > 0 {
		return items
	}
	items := make([]billedItem, 0, len(b.LineItemBreakdown))
	for name, usd := range b.LineItemBreakdown {
		items = append(items, billedItem{name: name, usd: decimalOf(usd), quantity: b.LineItemQuantities[name]})
	}
	return items
}

func (b TeamCostBucket) items() []billedItem {
	items := make([]billedItem, len(b.LineItems))
	for i, item := range b.LineItems {
		items[i] = billedItem{name: item.Description, usd: decimalOf(item.USD)}
	}
	return items
}

// feeWords are words in line items that aren't paid by the token; see also besideCalls.
var feeWords = []string{"search", "grounding", "credit", "tool calls"}

func (i *billedItem) kindOf(p models.Provider) string {
	name := strings.ToLower(i.name)
	unit := i.quantity.Unit
	isFee := func(word string) bool { return strings.Contains(name, word) }
	switch {
	case i.kind != "":
		return i.kind
	case unit != "" && unit != unitTokens && unit != unitThousandTokens, isBesideCalls(name), slices.ContainsFunc(feeWords, isFee):
		return bills.KindOther
	case p == models.Gemini:
		if strings.Contains(i.name, billing.TypeEnd) {
			return bills.KindOther
		}
		return cmp.Or(geminisku.KindOf(i.name), bills.KindOther)
	}
	model, kind, _ := strings.Cut(strings.ReplaceAll(name, "_", " "), ", ")
	media := ""
	if words := strings.Fields(model); len(words) > 1 && (words[1] == "audio" || words[1] == "image") {
		media = words[1] + "_"
	}
	switch strings.TrimSuffix(kind, " tokens") {
	case "input":
		return media + "input"
	case "cached input":
		return media + "cache_read"
	case "output":
		return media + "output"
	}
	return bills.KindTokens
}
