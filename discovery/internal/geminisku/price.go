package geminisku

import (
	"cmp"
	"math/big"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// inForce returns the pricing expression that applies now: that of the entry with the latest effectiveTime that is not in the
// future, and of two with the same time the later one. It returns nil when there is none or a time cannot be read. A single
// entry needs no time, since there is nothing that could replace it.
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

const tokensPerMillion = 1_000_000

// pricePerMillion returns the price of a million base units in USD:
//
//	unitPrice / baseUnitConversionFactor * 1,000,000
//
// displayQuantity is only for display. The price is nil when the unit is not a count, the currency is not USD, rates differ
// by the amount used, or a number cannot be read.
func pricePerMillion(e *cloudbilling.PricingExpression) *float64 {
	if e == nil || e.UsageUnit != "count" || e.BaseUnit != "count" {
		return nil
	}
	factor, ok := nonNegative(e.BaseUnitConversionFactor)
	if !ok || factor.Sign() == 0 {
		return nil
	}
	price, ok := onlyRate(e.TieredRates)
	if !ok {
		return nil
	}
	usd, _ := price.Quo(price, factor).Mul(price, big.NewRat(tokensPerMillion, 1)).Float64()
	return &usd
}

// onlyRate returns the price that all rates have in common. The first rate must start at 0: otherwise the price of the first
// units is not known.
func onlyRate(rates []cloudbilling.TierRate) (only *big.Rat, ok bool) {
	for i, rate := range rates {
		start, readable := nonNegative(cmp.Or(rate.StartUsageAmount, &zero))
		price, priced := inUSD(rate.UnitPrice)
		if !readable || !priced || (i == 0 && start.Sign() != 0) || (i > 0 && price.Cmp(only) != 0) {
			return nil, false
		}
		only = price
	}
	return only, len(rates) > 0
}

// inUSD returns an amount in USD. Units or nanos may be absent, which means 0, but not both. There are less than nanosPerUnit nanos.
func inUSD(m *cloudbilling.Money) (*big.Rat, bool) {
	if m == nil || m.CurrencyCode != "USD" || (m.Units == nil && m.Nanos == nil) {
		return nil, false
	}
	units, unitsOK := integer(m.Units)
	nanos, nanosOK := integer(m.Nanos)
	amount := new(big.Rat).SetInt64(units)
	return amount.Add(amount, big.NewRat(nanos, nanosPerUnit)), unitsOK && nanosOK && nanos < nanosPerUnit
}

const nanosPerUnit = 1_000_000_000

// zero is what proto3 omits.
var zero = "0"

// integer parses a non-negative integer; absent means 0.
func integer(text *string) (int64, bool) {
	n, err := strconv.ParseInt(*cmp.Or(text, &zero), 10, 64)
	return n, err == nil && n >= 0
}

// nonNegative parses a non-negative number. NaN and Infinity, which proto3 writes as strings, are refused.
func nonNegative(text *string) (*big.Rat, bool) {
	const longest = 40 // no factor and no amount comes near it
	if text == nil || len(*text) > longest {
		return nil, false
	}
	number, err := decimal.Parse(*text)
	if err != nil {
		return nil, false
	}
	r := number.Rat()
	return r, r.Sign() >= 0
}
