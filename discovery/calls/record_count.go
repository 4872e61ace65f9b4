package calls

import (
	"errors"

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

// subscription is the Billing of a call that is not charged.
const subscription = "subscription"

var errNoUsage = errors.New("usage is missing, and so is the cost")

// Count returns the record as a call counts: with the recorded cost, or if it has none with one of a list, nil being [prices.BuiltIn].
// With reprice the cost of a call that has the counts for it is computed, whatever was recorded, and so is BoundUSD of an incomplete one.
// A record without what its cost needs, and one with an amount that is not a plain decimal, is an error, which contains nothing of the
// record.
func (r Record) Count(list *prices.List, reprice bool) (Counted, error) {
	if list == nil {
		list = prices.BuiltIn()
	}
	c := Counted{Record: r}
	c.Time = r.Time.UTC()
	err := c.checkAmounts()
	if err == nil {
		var usageErr error
		c.Call, usageErr = r.Call()
		c.Provider = c.Call.Provider
		complete := c.Complete || c.Path == "" && c.BoundUSD == "" && c.Unpriced == "" // as of a record that a program made
		err = c.count(usageErr, list, reprice && complete, reprice)
	}
	if err != nil {
		return Counted{}, err
	}
	return c, nil
}

// count sets what is computed of the record that was read last.
func (in *decoder) count(c *Counted, list *prices.List, reprice bool) error {
	r := &c.Record
	used, usageErr := prices.Usage{}, in.usageErr
	if usageErr == nil && r.Usage != nil {
		u, err := in.counts.Usage(modelid.FormOf(r.API, string(r.Provider)))
		used, usageErr = prices.Usage(u), err
	}
	if usageErr != nil {
		c.Call, usageErr = r.Call() // whose error is that of prices.ParseUsage
	} else {
		usageErr = r.call(&c.Call, r.Provider, used)
	}
	return c.count(usageErr, list, reprice && c.Complete, reprice)
}

// count sets the cost that counts, and what follows from it. usageErr is why there are no counts. again computes the cost of a call that
// is billed by its usage alone, and bounds what an incomplete one costs at least, whatever was recorded.
func (c *Counted) count(usageErr error, list *prices.List, again, bounds bool) error {
	if c.Usage == nil {
		usageErr = errNoUsage
	}
	c.HasUsage = usageErr == nil
	if err := c.price(list, again, bounds, usageErr); err != nil {
		return err
	}
	noResponse := c.Status == 0 && c.Unpriced != "" && c.Usage == nil
	c.Failed = noResponse || c.Status != 0 && !endpoints.Bills(c.Status)
	c.Subscription = c.Billing == subscription
	return nil
}

// price sets the cost that counts.
func (c *Counted) price(list *prices.List, again, bounds bool, usageErr error) error {
	if c.USD != "" {
		c.BoundUSD, c.Unpriced = "", ""
	}
	switch {
	case (c.USD != "" || c.Unpriced != "") && !(again && c.repriceable()):
		if bounds && c.HasUsage && c.Unpriced != "" && !c.Complete {
			c.BoundUSD = bound(list, &c.Call)
		}
		return nil
	case usageErr != nil:
		return usageErr
	}
	c.BoundUSD = ""
	cost, err := list.CostOf(c.Call)
	if errors.Is(err, prices.ErrUnpriced) {
		c.USD, c.Unpriced = "", err.Error()
		return nil
	}
	c.USD, c.Unpriced = cost.USD, ""
	return err
}

// repriceable reports whether the usage of the call is all that it is billed by.
func (c *Counted) repriceable() bool {
	host := endpoints.Endpoint{Form: modelid.FormOf(c.API, string(c.Provider)), Platform: c.Platform}
	return c.HasUsage && c.Model != "" && host.Counts(c.Path, c.Status)
}

// bound returns what a call costs at least, or "" if that is nothing or not known.
func bound(list *prices.List, call *prices.Call) string {
	cost, err := list.CostOf(*call)
	if err != nil || cost.USD == "0" {
		return ""
	}
	return cost.USD
}
