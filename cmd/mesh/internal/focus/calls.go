// Package focus writes call costs and bills as CSV in the FinOps Open Cost and Usage
// Specification (FOCUS) 1.2:
//
//	rows := focus.NewCalls(prices.BuiltIn(), "org-1")
//	for record, err := range calls.Read(calls.Options{}, "calls") {
//		if err == nil {
//			err = rows.Add(record) // prices.ErrUnpriced: the call has no row
//		}
//		errs = append(errs, err)
//	}
//	err := rows.WriteCSV(os.Stdout)
//
// # Calls
//
// Each UTC day, provider, platform with region, model, mode, token kind, unit price,
// prompt tier and label set has one row. Costs are exactly unit price times quantity. If
// calls went through a platform, such as Bedrock, ProviderName is the platform and
// PublisherName the model's developer. The order of calls doesn't matter: output is byte
// for byte the same.
//
// # Bills
//
// A bill has amounts but usually no quantities, so most of its rows are priced in
// dollars. Write calls and their bill to separate files: they are the same money.
//
// Columns starting with x_ are not in FOCUS.
package focus

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Calls sums calls. Create it with [NewCalls]; otherwise its methods return a
// [*discovery.ValueError]. Memory grows with rows, not with calls. It must not be used
// concurrently.
type Calls struct {
	list    *prices.List
	account string
	groups  map[key]*group
}

// NewCalls returns empty Calls. A nil list means [prices.BuiltIn]. account is the
// BillingAccountId, which responses don't have; "" means "default".
func NewCalls(list *prices.List, account string) *Calls {
	if list == nil {
		list = prices.BuiltIn()
	}
	return &Calls{list: list, account: account, groups: make(map[key]*group)}
}

func (c *Calls) ready() error {
	if c == nil || c.list == nil {
		return invalid("Calls", "", "must be made with focus.NewCalls")
	}
	return nil
}

// Add adds a call at its recorded cost. If a record has neither a cost nor a reason, Add
// prices it. A recorded cost that differs from the price list gets a row in dollars,
// without tokens.
//
// If the cost is unknown, Add returns the reason, which matches [prices.ErrUnpriced], and
// adds no row: FOCUS requires a cost, and 0 would be wrong. Any other error means an
// invalid record, such as one without a time. A free call that the list doesn't price at
// 0, such as a failed request, has no row and no error.
func (c *Calls) Add(r calls.Record) error {
	if err := c.ready(); err != nil {
		return err
	}
	p, err := provider(r)
	if err != nil {
		return err
	}
	r.Provider = p
	if year := r.Time.UTC().Year(); r.Time.IsZero() || year < 1 || year >= 9999 { // the month's end needs a four-digit year
		return invalid("Time", "", "must be set, to a year before 9999")
	}
	if r, err = r.Count(c.list, false); err != nil {
		return err
	}
	if r.USD == "" {
		return unpriced(r.Unpriced)
	}
	usd := decimal.FromText(string(r.USD))
	cost, err := c.price(&r)
	switch {
	case err == nil && usd.Cmp(decimal.FromText(cost.USD)) == 0:
		c.addCost(r, cost)
	case !usd.IsZero():
		c.addCharge(r, usd, prices.SourceText(r.Provider, r.SourceKey))
	}
	return nil
}

// provider returns a known provider or a name that a meter gave to a host. It may be ""
// for a platform.
func provider(r calls.Record) (models.Provider, error) {
	if r.Provider == "" {
		if r.Platform != "" {
			return "", nil
		}
		if p, ok := models.ProviderOf(r.Model); ok {
			return p, nil
		}
	}
	p, err := models.ParseProvider(string(r.Provider))
	if err != nil && r.Provider != "" { // a meter's name for a host
		return r.Provider, nil
	}
	return p, err
}

// unpriced doesn't repeat ErrUnpriced if the recorded reason starts with it.
func unpriced(reason string) error {
	return fmt.Errorf("%w: %s", prices.ErrUnpriced, strings.TrimPrefix(reason, prices.ErrUnpriced.Error()+": "))
}

func (c *Calls) price(r *calls.Record) (prices.Cost, error) {
	if !r.HasCounts {
		return prices.Cost{}, prices.ErrUnpriced
	}
	call, err := r.Call()
	if err != nil {
		return prices.Cost{}, err
	}
	return c.list.CostOf(call)
}

// Source and line name for a cost that the provider stated.
const (
	chargedSource = "charged by the provider"
	charged       = "charged"
)

func (c *Calls) addCost(r calls.Record, cost prices.Cost) {
	if len(cost.Lines) == 1 && cost.Lines[0].Kind == charged {
		c.addCharge(r, decimal.FromText(cost.USD), cost.Source)
		return
	}
	k := keyOf(r, modeOf(r, cost), cost.Source)
	for _, line := range cost.Lines {
		k.what, k.fee, k.price, k.tier = line.Kind, false, line.USDPerMTok, cost.TierThresholdTokens
		quantity := line.Tokens
		if line.USDPerUse != "" { // fees don't depend on prompt length
			k.fee, k.price, k.tier, quantity = true, line.USDPerUse, 0, line.ToolUses
		}
		c.group(k).quantity.Add(decimal.New(quantity, 0))
	}
}

// addCharge adds a cost in dollars.
func (c *Calls) addCharge(r calls.Record, usd decimal.Decimal, source string) {
	k := keyOf(r, modeOf(r, prices.Cost{}), source)
	k.what = charged
	c.group(k).usd.Add(usd)
}

func keyOf(r calls.Record, mode, source string) key {
	return key{day: calendar.DayNumber(r.Time), place: placeOf(r), provider: r.Provider, model: r.Model, mode: mode, tags: tags(r.Labels), source: source, billing: r.Billing}
}

// group returns the row for k, with one more call counted.
func (c *Calls) group(k key) *group {
	g := c.groups[k]
	if g == nil {
		g = &group{key: k}
		c.groups[k] = g
	}
	g.calls++
	return g
}

// modeOf returns "" for standard. Peak and off-peak are only price periods.
func modeOf(r calls.Record, cost prices.Cost) string {
	mode := cost.Mode
	if mode == "" {
		mode = r.Mode
	}
	if mode == prices.ModeStandard || mode == "peak" || mode == "off-peak" {
		return ""
	}
	return mode
}

// WriteCSV writes the rows, sorted by day, provider, platform, model, mode, kind, price
// and labels.
func (c *Calls) WriteCSV(w io.Writer) error {
	if err := c.ready(); err != nil {
		return err
	}
	groups := slices.SortedFunc(maps.Values(c.groups), (*group).compare)
	return write(w, func(yield func(row) bool) {
		for _, g := range groups {
			day := time.Unix(g.day*calendar.SecondsPerDay, 0)
			r := newRow(g.provider, c.account, day, day.AddDate(0, 0, 1))
			g.fill(r)
			if !yield(r) {
				return
			}
		}
	})
}
