package decimal_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// A sum equals the fractions' sum in any order, and is rounded once.
func TestSumIsExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		var sum, left, right decimal.Sum
		want := new(big.Rat)
		for i := range random.IntN(40) {
			text := strconv.FormatInt(random.Int64N(1e12)-5e11, 10) + "e-" + strconv.Itoa(random.IntN(60))
			d, err := decimal.Parse(text)
			require.NoError(t, err)
			sum.Add(d)
			if i%2 == 0 {
				left.Add(d)
			} else {
				right.Add(d)
			}
			want.Add(want, d.Rat())
		}
		left.Merge(&right)
		require.Zero(t, want.Cmp(sum.Total().Rat()), want)
		require.Zero(t, want.Cmp(left.Total().Rat()), want)
		nearest, _ := want.Float64()
		require.Equal(t, math.Float64bits(nearest+0), math.Float64bits(sum.Total().Float64()+0))
	}
}

// These sums don't fit into 64 bits.
func TestLargeSumIsExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"999999999999999999": "39999999999999999960", "-99999999999999999": "-3999999999999999960"} {
		d, err := decimal.Parse(text)
		require.NoError(t, err)
		var sum decimal.Sum
		for range 40 {
			sum.Add(d)
		}
		assert.Equal(t, want, sum.Total().String())
		nearest, _ := strconv.ParseFloat(want, 64)
		assert.Equal(t, math.Float64bits(nearest), math.Float64bits(sum.Total().Float64()))
	}
}

// The time per amount must not depend on how much the decimal places differ.
func BenchmarkSum(b *testing.B) {
	for name, text := range map[string]string{"places=0+2": "0.01", "places=0+6250": "1E-6250"} {
		b.Run(name, func(b *testing.B) {
			one := decimal.New(1, 0)
			least, err := decimal.Parse(text)
			require.NoError(b, err)
			var sum decimal.Sum
			b.ReportAllocs()
			for b.Loop() {
				sum.Add(one)
				sum.Add(least)
			}
		})
	}
}
