package meter

import (
	"cmp"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// atLeast returns what the counts and fees of a call cost that arrived before its final counts, or "" if there are none or their price is
// not known. It is a lower bound: a provider repeats what it has counted, and adds to it. Tiers and cache reads, which make counts cheaper,
// arrive with the counts. Output that was not counted yet is not in it.
func atLeast(list *prices.List, call prices.Call) prices.USD {
	usd, err := list.USDOf(call)
	if usd == "0" {
		return ""
	}
	return cmp.Or(usd, boundOf(err))
}

// boundOf returns what a call costs at least by the error of its cost.
func boundOf(err error) prices.USD {
	var unpriced *prices.UnpricedError
	if errors.As(err, &unpriced) {
		return unpriced.BoundUSD
	}
	return ""
}
