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
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
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

// key identifies a row.
type key struct {
	day                       int64 // UTC days since 1970
	place                     place
	provider                  models.Provider
	model, mode, tags, source string
	// set for calls that aren't charged
	billing string
	// token or request kind
	what string
	// per million tokens, or per request if fee is set; "" for a charge in dollars
	price prices.USD
	fee   bool
	// shortest prompt that the price applies to; 0 for all
	tier int64
}

func (g *group) compare(other *group) int {
	if order := cmp.Or(
		cmp.Compare(g.day, other.day), cmp.Compare(g.provider, other.provider), g.place.compare(other.place), cmp.Compare(g.model, other.model),
		cmp.Compare(g.mode, other.mode), cmp.Compare(rank(g.what), rank(other.what)), cmp.Compare(g.what, other.what),
	); order != 0 {
		return order
	}
	return cmp.Or(
		decimal.FromText(g.price).Cmp(decimal.FromText(other.price)), cmp.Compare(g.tags, other.tags), cmp.Compare(g.tier, other.tier),
		cmp.Compare(g.source, other.source), cmp.Compare(g.price, other.price), cmp.Compare(g.billing, other.billing),
	)
}

// rank orders the kinds in a call's rows. Other kinds come last, by name.
func rank(what string) int {
	kinds := []string{"input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output"}
	if i := slices.Index(kinds, what); i >= 0 {
		return i
	}
	return len(kinds)
}

// group sums a row's tokens, requests or charges.
type group struct {
	key
	calls         int64
	quantity, usd decimal.Sum
}

func (g *group) fill(r row) {
	r["ChargeCategory"], r["ChargeFrequency"] = "Usage", "Usage-Based"
	g.place.fill(r, g.provider)
	r["SkuId"], r["SkuMeter"] = g.place.sku()+g.model+"/"+g.what, meterName(g.what, g.fee)
	r["SkuPriceId"] = r["SkuId"] + "/" + cmp.Or(g.mode, prices.ModeStandard) + g.place.price()
	r["ChargeDescription"] = g.model + ": " + r["SkuMeter"]
	if g.mode != "" {
		r["ChargeDescription"] += ", " + g.mode
	}
	if g.tier > 0 {
		above := strconv.FormatInt(g.tier-1, 10)
		r["SkuPriceId"] += "/above-" + above
		r["ChargeDescription"] += ", prompts above " + above + " tokens"
	}
	r["SkuPriceDetails"] = jsonText(priceDetails{max(g.tier-1, 0), developer(g.provider), g.model, g.mode, g.what})
	r["Tags"] = g.tags
	r["x_CallCount"], r["x_CostSource"] = strconv.FormatInt(g.calls, 10), "metered"
	r["x_Mode"], r["x_Model"], r["x_PriceSource"], r["x_TokenType"] = g.mode, g.model, g.source, g.what
	g.fillCost(r)
}

func (g *group) fillCost(r row) {
	const million = 6 // places
	quantity, price := g.quantity.Total(), decimal.FromText(g.price)
	switch {
	case g.price == "":
		if g.source == chargedSource {
			r["x_CostSource"] = charged
		}
		usd := g.usd.Total().String()
		r.setConsumed(r["x_CallCount"], "Requests")
		r.setPrice("Other", "1", usd, "USD")
		g.setCost(r, usd)
		return
	case g.fee:
		r.setConsumed(quantity.String(), "Requests")
		r.setPrice("Standard", price.String(), quantity.String(), "Requests")
	default:
		r.setConsumed(quantity.String(), "Tokens")
		quantity = quantity.Shift(million)
		r.setPrice("Standard", price.String(), quantity.String(), "1000000 Tokens")
	}
	g.setCost(r, quantity.Mul(price).String())
}

// setCost bills nothing for subscription calls: only their list price is set.
func (g *group) setCost(r row, usd string) {
	r.setCost(usd)
	if g.billing != "" {
		r["BilledCost"], r["EffectiveCost"] = "0", "0"
	}
}

// priceDetails is SkuPriceDetails, with names from FOCUS 1.5. Version 1.2 requires the
// prefix x_.
type priceDetails struct {
	ContextTier    int64  `json:"x_ContextTier,omitempty"`
	ModelDeveloper string `json:"x_ModelDeveloper,omitempty"`
	ModelID        string `json:"x_ModelId,omitempty"` //nolint:tagliatelle // the name in FOCUS
	ServiceTier    string `json:"x_ServiceTier,omitempty"`
	TokenType      string `json:"x_TokenType,omitempty"`
}

// meterName names a kind for people.
func meterName(what string, fee bool) string {
	switch what {
	case charged:
		return "Charged Cost"
	case "cache_write_5m":
		return "Cache Write Tokens (5 Minutes)"
	case "cache_write_1h":
		return "Cache Write Tokens (1 Hour)"
	}
	words := strings.FieldsFunc(strings.ReplaceAll(what, "cache_read", "cached_input"), func(r rune) bool { return r == '_' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	unit := "Tokens"
	if fee {
		unit = "Requests"
	}
	return strings.Join(append(words, unit), " ")
}

// tags formats labels as a JSON object, sorted, or "". FOCUS requires true for labels
// without a value.
func tags(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	values := make(map[string]any, len(labels))
	for name, value := range labels {
		values[name] = value
		if value == "" {
			values[name] = true
		}
	}
	return jsonText(values)
}

// jsonText doesn't escape HTML.
func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}
