// Package billing decodes bills and adds them up exactly. It sends no request: it reads
// the pages from a provider, and refuses amounts that can't be added up. Errors never
// quote a response.
package billing

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// ErrOutsideWindow reports a bucket outside the requested window.
var ErrOutsideWindow = errors.New("a bucket lies outside the requested window")

var (
	errNotUSD  = errors.New("the amount is not in US dollars")
	errNotCost = errors.New("the result is not a cost")
)

// Page is one response from a cost or usage endpoint.
type Page struct {
	Days []Day
	// Usage reports a page from Anthropic's usage report, which has no costs.
	Usage bool
	// More reports that another page follows, at Next.
	More bool
	Next string
}

// Day is one day's bill. Times are Unix seconds, and the end is exclusive.
type Day struct {
	Start, End int64
	// Raw are the results as sent. Skipped counts those that aren't costs. Usage is from
	// Anthropic's usage report.
	Raw     []json.RawMessage
	Skipped int
	Usage   []json.RawMessage
	costs   []Cost
}

// Cost is part of a day. A provider sets only some groupings.
type Cost struct {
	LineItem, Project, Key, Workspace, User, APISource string

	amount   decimal.Decimal
	quantity *Quantity // nil if unknown
}

// decode skips results for which read returns errNotCost.
func (d *Day) decode(read func(json.RawMessage, *Cost) error) error {
	d.costs = make([]Cost, 0, len(d.Raw))
	for i, raw := range d.Raw {
		d.costs = append(d.costs, Cost{})
		last := len(d.costs) - 1
		switch err := read(raw, &d.costs[last]); {
		case errors.Is(err, errNotCost):
			d.costs = d.costs[:last]
			d.Skipped++
		case err != nil:
			return fmt.Errorf("results[%d]: %w", i, err)
		}
	}
	return nil
}

// Total returns the day's exact sum.
func (d *Day) Total() *decimal.Sum {
	total := new(decimal.Sum)
	for i := range d.costs {
		total.Add(d.costs[i].amount)
	}
	return total
}

// Breakdown returns the day's sums by a grouping.
func (d *Day) Breakdown(group func(*Cost) string) map[string]float64 {
	sums := make(map[string]*decimal.Sum)
	for i := range d.costs {
		key := group(&d.costs[i])
		if sums[key] == nil {
			sums[key] = new(decimal.Sum)
		}
		sums[key].Add(d.costs[i].amount)
	}
	totals := make(map[string]float64, len(sums))
	for key, sum := range sums {
		totals[key] = sum.Total().Float64()
	}
	return totals
}

// Sort orders the days from all pages. It refuses days that overlap or lie outside the
// window, in Unix seconds; an end of 0 is open.
func Sort(days []Day, start, end int64) error {
	slices.SortStableFunc(days, func(a, b Day) int { return cmp.Compare(a.Start, b.Start) })
	for i := range days {
		day := &days[i]
		switch {
		case day.End <= day.Start, i > 0 && day.Start < days[i-1].End:
			return errors.New("two days overlap, or one ends before it begins")
		case day.End <= start, end != 0 && day.Start >= end:
			return ErrOutsideWindow
		}
	}
	return nil
}

// Quantity is the amount used by a line item.
type Quantity struct {
	Amount decimal.Decimal
	Unit   string
}

// add returns nil if a quantity is unknown or the units differ.
func (q *Quantity) add(other *Quantity) *Quantity {
	if q == nil || other == nil || q.Unit != other.Unit {
		return nil
	}
	return &Quantity{q.Amount.Add(other.Amount), q.Unit}
}

// Quantities returns the day's quantities by line item. A line item with several units,
// or with an unknown quantity, is left out.
func (d *Day) Quantities() map[string]*Quantity {
	all := make(map[string]*Quantity)
	for i := range d.costs {
		c := &d.costs[i]
		sum := c.quantity
		if before, more := all[c.LineItem]; more {
			sum = before.add(sum)
		}
		all[c.LineItem] = sum
	}
	maps.DeleteFunc(all, func(_ string, sum *Quantity) bool { return sum == nil })
	return all
}

// names are the keys that the generated types read, one bit each.
var names = bits(
	// OpenAI and Anthropic
	"object data has_more next_page start_time end_time starting_at ending_at results amount value currency line_item project_id api_key_id " +
		"user_id api_source quantity quantity_unit description workspace_id cost_type model token_type service_tier context_window inference_geo " +
		"uncached_input_tokens cache_read_input_tokens output_tokens cache_creation ephemeral_5m_input_tokens ephemeral_1h_input_tokens " +
		// xAI
		"timeSeries limitReached group groupLabels dataPoints timestamp values error code message " +
		// Google
		"service sku id name usage_start_time cost currency_conversion_rate credits usage unit",
)

func bits(names string) map[string]uint64 {
	all := make(map[string]uint64)
	for i, name := range strings.Fields(names) {
		all[name] = 1 << i
	}
	return all
}

// decodeOnce refuses duplicate keys.
func decodeOnce(bill json.Unmarshaler, body []byte) error {
	if err := bill.UnmarshalJSON(body); err != nil {
		return err
	}
	return checkRepeated(body)
}

// checkRepeated refuses duplicate keys. A decoder reads only the last one, so a bill with
// missing amounts would look complete.
func checkRepeated(body []byte) error {
	var d jsonread.Decoder
	d.Reset(body)
	return repeated(&d)
}

func repeated(d *jsonread.Decoder) error {
	switch d.Next() {
	case jsonread.Object:
		return repeatedMember(d)
	case jsonread.Array:
		elements := d.Array()
		for elements.Next() {
			if err := repeated(d); err != nil {
				return err
			}
		}
		return elements.Err()
	default:
		return d.Skip()
	}
}

func repeatedMember(d *jsonread.Decoder) error {
	members := d.Object()
	var seen uint64
	for members.Next() {
		bit := names[string(members.Key())]
		if seen&bit != 0 {
			return fmt.Errorf("the key %q is repeated", members.Key())
		}
		seen |= bit
		if err := repeated(d); err != nil {
			return err
		}
	}
	return members.Err()
}
