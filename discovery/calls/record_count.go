package calls

import (
	"cmp"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Subscription is the Billing of a call that isn't charged.
const Subscription = "subscription"

var errNoUsage = errors.New("usage is missing, and so is the cost")

// Count returns the record as its call counts in every sum: with the recorded cost, or if it has none with one of a list, nil being
// [prices.BuiltIn]. It has a USD, or else an Unpriced; Provider is in its own spelling, Time in UTC, and Counts are set.
// With reprice the cost of a call that has the counts for it is computed, whatever was recorded, and so is BoundUSD of an incomplete one.
// A record without what its cost needs, and one with an amount that is not a plain decimal, is an error, which contains nothing of the
// record.
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

// count is Record.Count of the record that was read last. Beside an error there are no Counts.
func (in *decoder) count(r *Record, list *prices.List, reprice bool) error {
	usageErr := in.usageErr
	if usageErr == nil && r.Usage != nil {
		u, err := in.counts.Usage(string(r.form()))
		r.Counts, usageErr = prices.Usage(u), err
	}
	if usageErr == nil {
		usageErr = r.complete()
	} else {
		_, usageErr = r.Call() // whose error is that of prices.ParseUsage
	}
	err := r.count(usageErr, list, reprice)
	if err != nil {
		r.Counts, r.HasCounts = prices.Usage{}, false
	}
	return err
}

// count sets the cost that counts. usageErr is the reason if there are no counts.
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
			r.BoundUSD = r.bound(list)
		}
		return nil
	case usageErr != nil:
		return usageErr
	}
	r.BoundUSD = ""
	usd, err := list.USDOf(r.call())
	if errors.Is(err, prices.ErrUnpriced) {
		r.USD, r.Unpriced, r.BoundUSD = "", err.Error(), boundOf(err)
		return nil
	}
	r.USD, r.Unpriced = usd, ""
	return err
}

// repriceable reports whether the usage of the call is all that it is billed by.
func (r *Record) repriceable() bool {
	if r.WithoutLine && r.USD != "" { // of prompts whose length is not known
		return false
	}
	host := endpoints.Endpoint{Form: modelid.FormOf(r.API, string(r.Provider)), Platform: r.Platform}
	return r.HasCounts && r.Model != "" && host.Counts(r.Path, r.Status)
}

// bound returns what the call costs at least, or "" if that is nothing or not known.
func (r *Record) bound(list *prices.List) prices.USD {
	usd, err := list.USDOf(r.call())
	if usd == "0" {
		return ""
	}
	return cmp.Or(usd, boundOf(err))
}

func boundOf(err error) prices.USD {
	var unpriced *prices.UnpricedError
	if errors.As(err, &unpriced) {
		return unpriced.BoundUSD
	}
	return ""
}
