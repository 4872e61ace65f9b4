package decimal_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0.50": "-1/2", "12.5": "25/2", "1e3": "1000", "1E-2": "1/100", "0E-6176": "0", "0e99999999999999999999": "0",
		"123456789012345678901234567890": "123456789012345678901234567890", "-1.25e1": "-25/2",
		"1e29": "1" + strings.Repeat("0", 29), "1E-6250": "1/1" + strings.Repeat("0", 6250), "0." + strings.Repeat("0", 12_498): "0",
	} {
		a, err := decimal.Parse(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, a.Rat().RatString(), text)
		}
	}
	for _, text := range []string{
		"0." + strings.Repeat("0", 12_499), "1e30", "", "-", "+1", "01", ".5", "5.", "1e", "1_000", "0x10", "NaN", "Infinity", "1 ", "1,5", "1e31", "1E-6251", "1e999999999999", strings.Repeat("1", 31),
		"0." + strings.Repeat("0", 13_000),
	} {
		_, err := decimal.Parse(text)
		assert.Error(t, err, text)
	}
}

// A sum equals that of fractions in any order, and is rounded once.
func TestSumIsExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		var sum, left, right decimal.Sum
		want := new(big.Rat)
		for i := range random.IntN(40) {
			text := strconv.FormatInt(random.Int64N(1e12)-5e11, 10) + "e-" + strconv.Itoa(random.IntN(30))
			a, err := decimal.Parse(text)
			require.NoError(t, err)
			sum.Add(a)
			if i%2 == 0 {
				left.Add(a)
			} else {
				right.Add(a)
			}
			want.Add(want, a.Rat())
		}
		left.Merge(&right)
		require.Zero(t, want.Cmp(sum.Amount().Rat()), want)
		require.Zero(t, want.Cmp(left.Amount().Rat()), want)
		nearest, _ := want.Float64()
		require.Equal(t, math.Float64bits(nearest+0), math.Float64bits(sum.Float64()+0))
	}
}

// The units of these sums do not fit in 64 bits.
func TestLargeSumIsExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"999999999999999999": "39999999999999999960", "-99999999999999999": "-3999999999999999960"} {
		a, err := decimal.Parse(text)
		require.NoError(t, err)
		var sum decimal.Sum
		for range 40 {
			sum.Add(a)
		}
		assert.Equal(t, want, sum.Amount().Rat().RatString())
		nearest, _ := strconv.ParseFloat(want, 64)
		assert.Equal(t, math.Float64bits(nearest), math.Float64bits(sum.Float64()))
	}
}

func TestFromFloat(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "1/10", decimal.FromFloat(0.1).RatString())
	assert.Equal(t, "-250000", decimal.FromFloat(-2.5e5).RatString())
}

// BenchmarkSum adds amounts with very different numbers of decimal places. The time per amount must not depend on them.
func BenchmarkSum(b *testing.B) {
	for name, small := range map[string]json.Number{"places=0+2": "0.01", "places=0+6250": "1E-6250"} {
		b.Run(name, func(b *testing.B) {
			var one, least decimal.Amount
			require.NoError(b, one.Read("1"))
			require.NoError(b, least.Read(small))
			var sum decimal.Sum
			b.ReportAllocs()
			for b.Loop() {
				sum.Add(&one)
				sum.Add(&least)
			}
		})
	}
}
