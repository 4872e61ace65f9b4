package calls

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Counted is a call as it counts in every sum. USD, BoundUSD and Unpriced of its Record are what counts: a USD, or else the reason why
// it is not known. Provider is in its own spelling, "" if it is not known, and Time in UTC.
type Counted struct {
	Record
	// Call is the call for [prices.List.CostOf]. HasUsage reports whether it has valid counts.
	Call     prices.Call
	HasUsage bool
	// Failed calls have a status that is neither 0 nor 2xx, or no status, no usage and a reason for an unknown cost.
	Failed bool
	// Subscription reports whether USD is the list price of a call of a subscription, and not a charge.
	Subscription bool
}

// Count returns the record as a call counts: with the recorded cost, or if it has none with one of a list, nil being [prices.BuiltIn].
// With reprice the cost of a call that has the counts for it is computed, whatever was recorded, and so is BoundUSD of an incomplete one.
// A record without what its cost needs, and one with an amount that is not a plain decimal, is an error, which contains nothing of the
// record.
func (r Record) Count(list *prices.List, reprice bool) (Counted, error) {
	call, err := r.Call()
	return r.count(call, err, list, reprice)
}

// count returns the record as its call counts. usageErr is why the call has no counts.
func (r *Record) count(call prices.Call, usageErr error, list *prices.List, reprice bool) (Counted, error) {
	if list == nil {
		list = prices.BuiltIn()
	}
	c := Counted{Record: *r, Call: call}
	c.Time = r.Time.UTC()
	if r.Usage == nil {
		usageErr = errNoUsage
	}
	c.HasUsage = usageErr == nil
	c.Provider = c.Call.Provider
	if err := c.price(list, reprice, usageErr); err != nil {
		return Counted{}, err
	}
	noResponse := c.Status == 0 && c.Unpriced != "" && c.Usage == nil
	c.Failed = noResponse || c.Status != 0 && !endpoints.Bills(c.Status)
	c.Subscription = c.Billing == subscription
	return c, nil
}

// price sets the cost that counts. usageErr is why there are no counts.
func (c *Counted) price(list *prices.List, reprice bool, usageErr error) (err error) {
	if err := c.checkAmounts(); err != nil {
		return err
	}
	host := endpoints.Endpoint{Form: modelid.FormOf(c.API, string(c.Provider)), Platform: c.Platform}
	complete := c.Complete || c.Path == "" && c.BoundUSD == "" && c.Unpriced == "" // as of a record that a program made
	again := reprice && c.HasUsage && c.Model != "" && complete && host.Counts(c.Path, c.Status)
	switch {
	case !again && (c.USD != "" || c.Unpriced != ""):
		if reprice && c.HasUsage && c.Unpriced != "" && !c.Complete {
			c.BoundUSD = bound(list, c.Call)
		}
		return nil
	case usageErr != nil:
		return usageErr
	}
	c.BoundUSD = ""
	c.USD, c.Unpriced, err = priced(list, c.Call)
	return err
}

// checkAmounts checks the amounts, and removes what a record with a known cost does not have.
func (c *Counted) checkAmounts() error {
	if c.USD != "" {
		c.BoundUSD, c.Unpriced = "", ""
	}
	for _, amount := range []struct {
		text  string
		wrong error
	}{{c.USD, errUSD}, {c.BoundUSD, errBound}, {c.UpstreamUSD, errUpstream}} {
		if _, ok := decimal.ParsePlain(amount.text); !ok && amount.text != "" {
			return amount.wrong
		}
	}
	return nil
}

// priced returns the cost of a call by a list, or why it is not known.
func priced(list *prices.List, call prices.Call) (usd, unpriced string, err error) {
	cost, err := list.CostOf(call)
	if errors.Is(err, prices.ErrUnpriced) {
		return "", err.Error(), nil
	}
	return cost.USD, "", err
}

// bound returns what a call costs at least, or "" if that is nothing or not known.
func bound(list *prices.List, call prices.Call) string {
	cost, err := list.CostOf(call)
	if err != nil || cost.USD == "0" {
		return ""
	}
	return cost.USD
}
