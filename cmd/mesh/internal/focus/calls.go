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

// Calls adds up calls. Create one with [NewCalls]; the errors of any other are a [*discovery.ValueError]. Its memory grows with the
// number of rows and not with the number of calls. It is not safe for concurrent use.
type Calls struct {
	list    *prices.List
	account string
	groups  map[key]*group
}

// NewCalls returns empty Calls. A nil list is [prices.BuiltIn]. account is the BillingAccountId, which no response
// has; "" is "default".
func NewCalls(list *prices.List, account string) *Calls {
	if list == nil {
		list = prices.BuiltIn()
	}
	return &Calls{list: list, account: account, groups: make(map[key]*group)}
}

// ready rejects Calls that NewCalls did not return.
func (c *Calls) ready() error {
	if c == nil || c.list == nil {
		return invalid("Calls", "", "must be made with focus.NewCalls")
	}
	return nil
}

// Add adds a call. The recorded cost counts; a record that has neither a cost nor a reason is priced. A recorded cost that is not the cost of
// the price list is in a row in dollars, without tokens.
//
// A call with an error has no row, because a cost must not be null and 0 is a known cost. The error of a call whose cost is not known
// has the reason and matches [prices.ErrUnpriced]. Any other is the error of an invalid record, such as one without a time. A call that
// cost nothing and is not in the price list at 0, such as one that was answered with an error status, has no row and no error.
func (c *Calls) Add(r calls.Record) error {
	if err := c.ready(); err != nil {
		return err
	}
	p, err := provider(r)
	if err != nil {
		return err
	}
	r.Provider = p
	if year := r.Time.UTC().Year(); r.Time.IsZero() || year < 1 || year >= 9999 { // the end of its month must have a year of four digits
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
		c.addCharge(r, usd, r.Source)
	}
	return nil
}

// provider returns the provider of a call, which may be a name that a meter gave to a host, or with a platform "".
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
	if err != nil && r.Provider != "" { // a name that a meter gave to a host
		return r.Provider, nil
	}
	return p, err
}

// unpriced returns the error of a call whose cost is not known. A recorded reason can be the text of an error that matches
// prices.ErrUnpriced.
func unpriced(reason string) error {
	return fmt.Errorf("%w: %s", prices.ErrUnpriced, strings.TrimPrefix(reason, prices.ErrUnpriced.Error()+": "))
}

// price returns the cost that the price list gives.
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

// chargedSource is the Source of a cost that the provider stated, and charged its only line.
const (
	chargedSource = "charged by the provider"
	charged       = "charged"
)

func (c *Calls) addCost(r calls.Record, cost prices.Cost) {
	if len(cost.Lines) == 1 && cost.Lines[0].What == charged {
		c.addCharge(r, decimal.FromText(cost.USD), cost.Source)
		return
	}
	k := keyOf(r, modeOf(r, cost), cost.Source)
	for _, line := range cost.Lines {
		k.what, k.fee, k.price, k.tier = line.What, false, line.USDPerMTok, cost.TierThresholdTokens
		quantity := line.Tokens
		if line.USDPerRequest != "" { // a fee does not depend on the length of the prompt
			k.fee, k.price, k.tier, quantity = true, line.USDPerRequest, 0, line.Requests
		}
		c.group(k).quantity.Add(decimal.New(quantity, 0))
	}
}

// addCharge adds the cost of a call in dollars.
func (c *Calls) addCharge(r calls.Record, usd decimal.Decimal, source string) {
	k := keyOf(r, modeOf(r, prices.Cost{}), source)
	k.what = charged
	c.group(k).usd.Add(usd)
}

// keyOf returns what all rows of a call have in common.
func keyOf(r calls.Record, mode, source string) key {
	return key{day: calendar.DayNumber(r.Time), place: placeOf(r), provider: r.Provider, model: r.Model, mode: mode, tags: tags(r.Labels), source: source, billing: r.Billing}
}

// group returns the group of a key, with one more call.
func (c *Calls) group(k key) *group {
	g := c.groups[k]
	if g == nil {
		g = &group{key: k}
		c.groups[k] = g
	}
	g.calls++
	return g
}

// modeOf returns the mode of a call; "" is standard. Peak and off-peak are times of the day, which only the price depends on.
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

// WriteCSV writes the rows of all calls, sorted by day, provider, platform, model, mode, kind, price and labels.
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
