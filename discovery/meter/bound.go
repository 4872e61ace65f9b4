package meter

import (
	"cmp"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// atLeast returns what the counts and fees of a call cost that arrived before its final counts, as a plain decimal, or "" if there are
// none or their price is not known. It is a lower bound: a provider repeats what it has counted, and adds to it. Tiers and cache reads,
// which make counts cheaper, arrive with the counts. Output that was not counted yet is not in it.
func atLeast(list *prices.List, call prices.Call) string {
	cost, err := list.CostOf(call)
	if err != nil || cost.USD == "0" {
		return ""
	}
	return cost.USD
}

// setBound sets AtLeastUSD of a record that was read from a file without it.
func setBound(r *calls.Record, list *prices.List) {
	if r.USD != "" || r.Complete || r.AtLeastUSD != "" || r.Usage == nil {
		return
	}
	parsed, err := usage.Parse(cmp.Or(r.API, string(r.Provider)), r.Usage)
	if err != nil {
		return
	}
	used := prices.Usage(parsed)
	if r.Requests != nil { // they include what the response had beside its usage object
		used.Requests = r.Requests
	}
	call := callOf(r, used)
	call.Mode = r.Mode
	r.AtLeastUSD = atLeast(list, call)
}
