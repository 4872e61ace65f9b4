package geminisku

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// inForce returns the pricing expression that holds now, nil when none does or the times do not tell: the entry with the
// latest effectiveTime that is not in the future, of two with the same time the later one (WIRE.md section 8). A lone entry
// without a time holds, for there is nothing that it could have been replaced by.
func inForce(history []cloudbilling.PricingInfo, now time.Time) *cloudbilling.PricingExpression {
	if len(history) == 1 && history[0].EffectiveTime == "" {
		return history[0].PricingExpression
	}
	var current *cloudbilling.PricingExpression
	var since time.Time
	for _, entry := range history {
		at, err := time.Parse(time.RFC3339, entry.EffectiveTime)
		if err != nil {
			return nil
		}
		if !at.After(now) && !at.Before(since) {
			current, since = entry.PricingExpression, at
		}
	}
	return current
}

// perMillion is how many units a price of this package is for.
const perMillion = 1_000_000

// pricePerMillion returns USD per million of what the expression counts, nil where it counts something else than pieces, is
// not in USD, has several prices that differ, or has an amount that cannot be read (WIRE.md section 8):
//
//	unitPrice / baseUnitConversionFactor = price of one base unit
//
// displayQuantity is for display, and has no part in it.
func pricePerMillion(e *cloudbilling.PricingExpression) *float64 {
	if e == nil || e.UsageUnit != "count" || e.BaseUnit != "count" {
		return nil
	}
	factor, ok := decimal(e.BaseUnitConversionFactor)
	if !ok || factor.Sign() == 0 {
		return nil
	}
	price, ok := onlyRate(e.TieredRates)
	if !ok {
		return nil
	}
	price.Quo(price, factor)
	usd, _ := price.Mul(price, big.NewRat(perMillion, 1)).Float64()
	return &usd
}

// onlyRate returns the price that all rates agree on. The first has to hold from the first unit on: otherwise there is a
// price before it that nobody told.
func onlyRate(rates []cloudbilling.TierRate) (*big.Rat, bool) {
	var only *big.Rat
	for i, rate := range rates {
		start, ok := decimal(rate.StartUsageAmount)
		if rate.StartUsageAmount == nil { // proto3 leaves out a 0
			start, ok = new(big.Rat), true
		}
		price, known := usd(rate.UnitPrice)
		switch {
		case !ok || !known, i == 0 && start.Sign() != 0, i > 0 && price.Cmp(only) != 0:
			return nil, false
		}
		only = price
	}
	return only, only != nil
}

// nanosPerUnit is how many nanos make one unit of money.
const nanosPerUnit = 1_000_000_000

// usd reads an amount. One of its two halves may be absent, which means 0; when both are, it is no amount.
func usd(m *cloudbilling.Money) (*big.Rat, bool) {
	if m == nil || m.CurrencyCode != "USD" || (m.Units == nil && m.Nanos == nil) {
		return nil, false
	}
	units, ok := whole(m.Units)
	nanos, known := whole(m.Nanos)
	if !ok || !known || nanos >= nanosPerUnit {
		return nil, false
	}
	amount := new(big.Rat).SetInt64(units)
	return amount.Add(amount, big.NewRat(nanos, nanosPerUnit)), true
}

// whole reads a whole number that is not negative; absent means 0.
func whole(text *string) (int64, bool) {
	if text == nil {
		return 0, true
	}
	n, err := strconv.ParseInt(*text, 10, 64)
	return n, err == nil && n >= 0
}

// longestDecimal and largestDecimal bound what is taken for a number: no factor and no amount comes near them, and exponents
// beyond cost more memory than there is.
const (
	longestDecimal = 40
	largestDecimal = 1e18
)

// decimal reads a number that is not negative, exactly. NaN and Infinity, which proto3 writes as strings, are none.
func decimal(text *string) (*big.Rat, bool) {
	if text == nil || len(*text) > longestDecimal || strings.Trim(*text, "0123456789.eE+-") != "" {
		return nil, false
	}
	approximately, err := strconv.ParseFloat(*text, 64)
	if err != nil || !(approximately >= 0 && approximately <= largestDecimal) {
		return nil, false
	}
	return new(big.Rat).SetString(*text)
}
