package meter

import (
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// atLeast returns what the counts and fees of a call cost that arrived before its final counts, as a plain decimal, or "" if there are
// none or their price is not known. It is a lower bound: a provider repeats what it has counted, and adds to it. Tiers and cache reads,
// which make counts cheaper, arrive with the counts. Output that was not counted yet is not in it.
func atLeast(list *prices.List, call prices.Call) prices.USD {
	usd, err := list.USDOf(call)
	if err != nil || usd == "0" {
		return ""
	}
	return usd
}
