package geminisku

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

func TestPricesAgreeWithFractions(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 9))
	text := func(n int64) *string { s := strconv.FormatInt(n, 10); return &s }
	for range 20_000 {
		units, nanos := random.Int64N(1<<random.IntN(40)), random.Int64N(nanosPerUnit)
		factor := 1 + random.Int64N(1<<random.IntN(50))
		got := pricePerMillion(&cloudbilling.PricingExpression{
			UsageUnit: "count", BaseUnit: "count", BaseUnitConversionFactor: text(factor),
			TieredRates: []cloudbilling.TierRate{{UnitPrice: &cloudbilling.Money{CurrencyCode: "USD", Units: text(units), Nanos: text(nanos)}}},
		})
		price := new(big.Rat).Add(new(big.Rat).SetInt64(units), big.NewRat(nanos, nanosPerUnit))
		want, _ := price.Mul(price, big.NewRat(tokensPerMillion, factor)).Float64()
		require.NotNil(t, got)
		require.Equal(t, want, *got, "%d units and %d nanos for %d", units, nanos, factor)
	}
}
