package decimal_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

func TestRoundHalfToEven(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		fraction string
		places   int
		want     string
	}{
		{"1/3", 12, "0.333333333333"}, {"2/3", 12, "0.666666666667"}, {"-2/3", 12, "-0.666666666667"}, {"-1/3", 3, "-0.333"},
		{"1/2", 0, "0"}, {"3/2", 0, "2"}, {"5/2", 0, "2"}, {"-1/2", 0, "0"}, {"-3/2", 0, "-2"}, {"-5/2", 0, "-2"},
		{"125/1000", 2, "0.12"}, {"135/1000", 2, "0.14"}, {"1250000001/10000000000", 2, "0.13"}, {"0", 12, "0"}, {"7", 2, "7"},
		{"1000000000000000000000000000001/3", 2, "333333333333333333333333333333.67"},
	} {
		r, ok := new(big.Rat).SetString(row.fraction)
		require.True(t, ok)
		assert.Equal(t, row.want, decimal.Round(r, row.places).String(), row.fraction)
	}
}

// TestRoundIsNearest compares Round with the definition: no decimal of as many places is nearer.
func TestRoundIsNearest(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	half := big.NewRat(1, 2000)
	for range 5000 {
		r := big.NewRat(random.Int64N(2_000_000)-1_000_000, random.Int64N(5000)+1)
		rounded := decimal.Round(r, 3)
		distance := new(big.Rat).Sub(rounded.Rat(), r)
		require.LessOrEqual(t, distance.Abs(distance).Cmp(half), 0, r)
	}
}
