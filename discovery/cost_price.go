package discovery

import (
	"context"
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

// pricedCall is a call and the row that bills it.
type pricedCall struct {
	provider Provider
	model    string
	usage    *Usage
	at       time.Time
	mode     string // of usage.Mode

	row    *pricelist.Row
	factor pricelist.Factor
}

// price finds the row and the factor of a call: in the caller's own rows, then live, then in the built-in table. live is the
// error of a live price list that could not be read, for a strict client. err names what is not known.
func (c *Client) price(ctx context.Context, call *pricedCall) (live, err error) {
	own, listed := c.rows(call.provider, call.model)
	if found, err := call.priceByOwn(own); found || err != nil {
		return nil, err
	}
	rows, live := c.liveRows(ctx, opCostOf, call.provider, call.model, call.at, listed)
	if rows != nil {
		if row, _ := pricelist.InForce(rows, call.at, call.usage.prompt()); row != nil && row.Priced() {
			return live, call.priceByList(rows)
		}
	}
	if listed == nil {
		return live, call.unknown("model", "is not in the price list")
	}
	return live, call.priceByList(listed)
}

// rows returns the rows of a model that the caller gave and those of the built-in table. An id that the table has is found
// without rewriting it, which takes longer.
func (c *Client) rows(p Provider, model string) (own, listed []pricelist.Row) {
	own, listed = c.own.list.Model(string(p), model), pricelist.Builtin().Model(string(p), model)
	if listed != nil {
		return own, listed
	}
	if c.own.list != nil {
		own = findRows(c.own.list, p, model)
	}
	return own, findRows(pricelist.Builtin(), p, model)
}

// priceByOwn prices the call by the rows of WithPrices that are for its mode. It reports whether they are in force: a model
// that has such rows is never billed by other ones.
func (call *pricedCall) priceByOwn(rows []pricelist.Row) (bool, error) {
	if rows == nil {
		return false, nil
	}
	if row, missing := pricelist.InForce(rows, call.at, call.usage.prompt()); row == nil && missing == "period" {
		return false, nil
	}
	var ofMode []pricelist.Row
	for _, row := range rows {
		if row.Mode == call.mode {
			ofMode = append(ofMode, row)
		}
	}
	row, missing := pricelist.InForce(ofMode, call.at, call.usage.prompt())
	switch {
	case row == nil && missing == "tier":
		return false, call.unknown("tier", "has no row of WithPrices for prompts of this length")
	case row == nil:
		return false, call.unknown("mode", "has no row of WithPrices for this mode")
	}
	call.row, call.factor = row, pricelist.Whole
	return true, call.check(true)
}

// priceByList prices the call by listed rows.
func (call *pricedCall) priceByList(rows []pricelist.Row) error {
	row, missing := pricelist.InForce(rows, call.at, call.usage.prompt())
	switch {
	case row == nil:
		return call.unknown(missing, "has no listed price for this time and length of the prompt")
	case !row.Priced() && row.Above > 0:
		return call.unknown("tier", "has another price for prompts of this length, which is not known")
	case !row.Priced():
		return call.unknown("model", "is listed without a price")
	}
	call.row = row
	cached, err := call.findFactor()
	if err != nil {
		return err
	}
	return call.check(cached)
}

// findFactor sets the factor of the mode. It reports whether the factor holds for cached input.
func (call *pricedCall) findFactor() (cached bool, err error) {
	call.factor = pricelist.Whole
	switch {
	case call.mode == "" && call.row.Peak() && !pricelist.PeakKnown(call.at):
		return false, call.unknown("period", "has no known price for this time, before the peak prices")
	case call.mode == "" && call.row.Peak() && pricelist.OffPeak(call.at):
		call.factor = pricelist.Half
	}
	if call.mode == "" {
		return true, nil
	}
	mode := call.mode
	if call.provider == OpenAI && mode == "fast" { // the newer name of the same tier
		mode = ModePriority
	}
	f, ok := pricelist.FactorOf(string(call.provider), call.row.Model, mode, call.at)
	if !ok || (call.row.Above > 0 && !f.Long) {
		return false, call.unknown("mode", "has no documented price in this mode")
	}
	call.factor = f.Factor
	return f.Cached, nil
}

// check reports whether every kind of token that was used has a price.
func (call *pricedCall) check(cached bool) error {
	if !cached && call.usage.CacheRead > 0 {
		return call.unknown("cache price", "has no agreed price of cached input in this mode")
	}
	kinds := call.kinds()
	for i := range kinds {
		switch kind := &kinds[i]; {
		case kind.tokens == 0 || kind.price.Known():
		case kind.what == "input" || kind.what == "tool_input" || kind.what == "output":
			return call.unknown("price of "+kind.what, "has no such price")
		default:
			return call.unknown("cache price", "has no known price of "+kind.what)
		}
	}
	return nil
}

// unknown returns an error that names what is missing.
func (call *pricedCall) unknown(missing, why string) error {
	return fmt.Errorf("the cost is not known: %s: %s %s", missing, shownModel(call.model), why)
}

// shownModel is a model id in an error, unless it could be a key that was pasted into the wrong place.
func shownModel(model string) string {
	if showable(model) == "" {
		return "the model"
	}
	return "the model " + model
}
