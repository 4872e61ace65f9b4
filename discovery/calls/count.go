package calls

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/lowerbound"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Subscription is the Billing of a call that isn't charged.
const Subscription = "subscription"

var errNoUsage = errors.New("usage is missing, and so is the cost")

// Count returns the record as all sums count it: with its USD or Unpriced, or if both are
// "", a price from list. A nil list means [prices.BuiltIn]. USD or Unpriced is set in the
// result, Counts are parsed, and Time is in UTC.
//
// If reprice is set, a recorded cost or lower bound is computed again wherever the counts
// suffice. Count returns an error if something is missing to compute a cost, such as
// usage, or if an amount isn't a plain decimal. The error quotes nothing.
func (r Record) Count(list *prices.List, reprice bool) (Record, error) {
	if list == nil {
		list = prices.BuiltIn()
	}
	r.Time = r.Time.UTC()
	if err := r.checkAmounts(); err != nil {
		return Record{}, err
	}
	call, usageErr := r.Call()
	r.Provider, r.Counts = call.Provider, call.Usage
	if err := r.count(usageErr, list, reprice); err != nil {
		return Record{}, err
	}
	return r, nil
}

// Counts are unset if there's an error.
func (in *decoder) count(r *Record, list *prices.List, reprice bool) error {
	usageErr := in.usageErr
	if usageErr == nil && r.Usage != nil {
		u, err := in.counts.Usage(string(r.form()))
		r.Counts, usageErr = prices.Usage(usage.As[prices.USD](&u)), err
	}
	if usageErr == nil {
		usageErr = r.complete()
	} else {
		_, usageErr = r.Call() // from prices.ParseUsage
	}
	err := r.count(usageErr, list, reprice)
	if err != nil {
		r.Counts, r.HasCounts = prices.Usage{}, false
	}
	return err
}

// usageErr is the reason if there are no counts.
func (r *Record) count(usageErr error, list *prices.List, reprice bool) error {
	if r.Usage == nil {
		usageErr = errNoUsage
	}
	if r.HasCounts = usageErr == nil; !r.HasCounts {
		r.Counts = prices.Usage{}
	}
	if r.USD != "" {
		r.BoundUSD, r.Unpriced = "", ""
	}
	switch {
	case (r.USD != "" || r.Unpriced != "") && !(reprice && !r.Incomplete && r.repriceable()):
		if reprice && r.HasCounts && r.Unpriced != "" && r.Incomplete {
			r.BoundUSD = lowerbound.AtLeast(list, r.call())
		}
		return nil
	case usageErr != nil:
		return usageErr
	}
	r.BoundUSD = ""
	usd, err := list.USDOf(r.call())
	if errors.Is(err, prices.ErrUnpriced) {
		r.USD, r.Unpriced, r.BoundUSD = "", err.Error(), lowerbound.Of(err)
		return nil
	}
	r.USD, r.Unpriced = usd, ""
	return err
}

// repriceable reports whether usage alone decides the bill.
func (r *Record) repriceable() bool {
	if r.WithoutLine && r.USD != "" { // prompt lengths are unknown
		return false
	}
	host := endpoints.Endpoint{Form: modelid.FormOf(r.API, string(r.Provider)), Platform: r.Platform}
	return r.HasCounts && r.Model != "" && host.Counts(r.Path, r.Status)
}
