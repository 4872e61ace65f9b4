package decimal_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

func TestMoneyReadsAndWritesPlainDecimals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "0.0": "0", "00.10": "0.1", "1": "1", "0.0345": "0.0345", "123456789012345678.000000000000000001": "123456789012345678.000000000000000001",
		"0.0000000000000000001": "0.0000000000000000001", "1234567890123456789": "1234567890123456789", "99999999999999999999.5": "99999999999999999999.5",
	} {
		m, ok := decimal.ParseMoney(text)
		require.True(t, ok, text)
		assert.Equal(t, want, m.String())
		exact, _ := new(big.Rat).SetString(text)
		assert.Zero(t, exact.Cmp(m.Rat()), text)
		nearest, _ := exact.Float64()
		assert.InDelta(t, nearest, m.Float64(), 0, text)
	}
}

func TestMoneyRejectsOtherText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "0x1", "1/2", "1,5", " 1", "NaN", "١", strings.Repeat("1", 513)} {
		_, ok := decimal.ParseMoney(text)
		assert.False(t, ok, text)
	}
}

func TestLargeMoneyAddsExactly(t *testing.T) {
	t.Parallel()
	m, ok := decimal.ParseMoney("999999999999999999.5")
	require.True(t, ok)
	var sum decimal.Money
	for range 40 {
		sum.Add(m)
	}
	assert.Equal(t, "39999999999999999980", sum.String())
	sum.Add(m)
	assert.Equal(t, "40999999999999999979.5", sum.String())
}

// Sums equal those of fractions, for every representation of the summands.
func TestMoneyAddsExactly(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var sum decimal.Money
		want := new(big.Rat)
		for range 1 + random.IntN(6) {
			m := decimal.Product(random.Uint64()>>random.IntN(64), random.Uint64()>>random.IntN(64))
			if random.IntN(4) == 0 {
				m = decimal.FromRat(big.NewRat(random.Int64N(1e9), 1e12*2))
			}
			before := m.String()
			sum.Add(m)
			want.Add(want, m.Rat())
			assert.Equal(t, before, m.String(), "a summand does not change")
		}
		require.Zero(t, want.Cmp(sum.Rat()))
		back, ok := new(big.Rat).SetString(sum.String())
		require.True(t, ok)
		require.Zero(t, want.Cmp(back))
	}
}
