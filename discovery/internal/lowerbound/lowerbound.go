// Package lowerbound has lower bounds for calls whose cost is unknown.
package lowerbound

import (
	"cmp"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// AtLeast returns the lowest cost of a call, or "" if it's 0 or unknown. The counts may
// be early ones: a provider repeats its earlier counts and adds to them. Tiers and cache
// reads, which make counts cheaper, arrive with the counts. Output that wasn't counted
// yet is missing.
func AtLeast(list *prices.List, call prices.Call) prices.USD {
	usd, err := list.USDOf(call)
	if usd == "0" {
		return ""
	}
	return cmp.Or(usd, Of(err))
}

// Of returns the lower bound in a pricing error.
func Of(err error) prices.USD {
	var unpriced *prices.UnpricedError
	if errors.As(err, &unpriced) {
		return unpriced.BoundUSD
	}
	return ""
}
