package focus

import (
	"math/big"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// unit is a unit of a bill in the format of FOCUS.
type unit struct {
	consumed string
	// each is how many consumed units are one of the provider's, and size how many of them have a price.
	each, size int64
	priced     string
}

// units are the units of bills. Any other has no format that FOCUS allows.
var units = map[string]unit{
	"tokens":           {"Tokens", 1, 1_000_000, "1000000 Tokens"},
	"1000_tokens":      {"Tokens", 1_000, 1_000_000, "1000000 Tokens"},
	"duration_seconds": {"Seconds", 1, 1, "Seconds"},
	"duration_minutes": {"Minutes", 1, 1, "Minutes"},
	"duration_hours":   {"Hours", 1, 1, "Hours"},
	"gibibyte_hours":   {"GiB-Hours", 1, 1, "GiB-Hours"},
	"images":           {"Images", 1, 1, "Images"},
	"characters":       {"Characters", 1, 1_000_000, "1000000 Characters"},
}

// setQuantity sets what was used, if it is known. Price times quantity must be the cost, so a price that is no decimal stays that of a
// dollar: then an amount was rounded.
func (r row) setQuantity(usd *big.Rat, q discovery.Quantity) {
	u, ok := units[q.Unit]
	used, plain := decimal.ParsePlain(q.Amount)
	if !ok || !plain || used.IsZero() {
		return
	}
	used = used.Mul(decimal.New(u.each, 0))
	r.setConsumed(used.String(), u.consumed)
	priced := new(big.Rat).Quo(used.Rat(), big.NewRat(u.size, 1))
	if price := new(big.Rat).Quo(usd, priced); isDecimal(price) {
		r.setPrice("Other", decimal.Text(price), decimal.Text(priced), u.priced)
	}
}

// isDecimal reports whether a number has an end in twelve places, as the prices of lists have.
func isDecimal(r *big.Rat) bool {
	const places = 12
	rounded, ok := new(big.Rat).SetString(r.FloatString(places))
	return ok && rounded.Cmp(r) == 0
}
