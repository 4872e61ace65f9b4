package decimal_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0.50": "-1/2", "12.5": "25/2", "1e3": "1000", "1E-2": "1/100", "0E-6176": "0", "0e99999999999999999999": "0",
		"123456789012345678901234567890": "123456789012345678901234567890", "-1.25e1": "-25/2", "-123456789012345678901.5": "-246913578024691357803/2",
		"1e29": "1" + strings.Repeat("0", 29), "1E-6250": "1/1" + strings.Repeat("0", 6250), "0." + strings.Repeat("0", 12_498): "0",
	} {
		d, err := decimal.Parse(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, d.Rat().RatString(), text)
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

func TestParsePlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "0.0": "0", "00.10": "0.1", "1": "1", "100": "100", "0.0345": "0.0345", "123456789012345678.000000000000000001": "123456789012345678.000000000000000001",
		"0.0000000000000000001": "0.0000000000000000001", "1234567890123456789": "1234567890123456789", "99999999999999999999.5": "99999999999999999999.5",
		"0." + strings.Repeat("0", 400) + "1": "0." + strings.Repeat("0", 400) + "1",
	} {
		d, ok := decimal.ParsePlain(text)
		require.True(t, ok, text)
		assert.Equal(t, want, d.String())
		exact, _ := new(big.Rat).SetString(text)
		assert.Zero(t, exact.Cmp(d.Rat()), text)
		nearest, _ := exact.Float64()
		assert.InDelta(t, nearest, d.Float64(), 0, text)
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "0x1", "1/2", "1,5", " 1", "NaN", "١", strings.Repeat("1", 31), "0." + strings.Repeat("0", 12_499)} {
		_, ok := decimal.ParsePlain(text)
		assert.False(t, ok, text)
	}
}

// Results match fraction arithmetic for any units and decimal places, and operands don't
// change.
func TestArithmeticIsExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	value := func() decimal.Decimal {
		switch units := random.Int64() >> random.IntN(64); random.IntN(4) {
		case 0:
			return decimal.New(-units, random.IntN(20))
		case 1:
			return decimal.New(math.MinInt64, random.IntN(5))
		case 2:
			return decimal.New(units, random.IntN(30)).Mul(decimal.New(random.Int64(), 0))
		default:
			return decimal.New(units, random.IntN(20))
		}
	}
	for range 5_000 {
		d, e := value(), value()
		left, right := d.Rat(), e.Rat()
		require.Zero(t, new(big.Rat).Add(left, right).Cmp(d.Add(e).Rat()), "%v + %v", d, e)
		require.Zero(t, new(big.Rat).Sub(left, right).Cmp(d.Sub(e).Rat()), "%v - %v", d, e)
		require.Equal(t, left.Cmp(right), d.Cmp(e), "%v, %v", d, e)
		require.Zero(t, d.Cmp(d), d)
		require.Zero(t, new(big.Rat).Mul(left, right).Cmp(d.Mul(e).Rat()), "%v × %v", d, e)
		require.Zero(t, left.Cmp(d.Rat()))
		require.Zero(t, right.Cmp(e.Rat()))
		back, ok := new(big.Rat).SetString(d.String())
		require.True(t, ok, d.String())
		require.Zero(t, left.Cmp(back))
		nearest, _ := left.Float64()
		require.Equal(t, math.Float64bits(nearest+0), math.Float64bits(d.Float64()+0), d)
	}
}

func TestShift(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "-1.2345", decimal.New(-12345, 2).Shift(2).String())
	assert.Equal(t, "0.001", decimal.New(1, 0).Shift(3).String())
}

func TestFromFloat(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{0.1: "1/10", -2.5e5: "-250000", math.Inf(1): "", math.NaN(): ""} {
		r, err := decimal.FromFloat(f)
		if want == "" {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
			assert.Equal(t, want, r.RatString())
		}
	}
}

// The largest and smallest 64-bit units need no special case.
func TestUnitsAtTheEndsOf64Bits(t *testing.T) {
	t.Parallel()
	largest, smallest := decimal.New(math.MaxInt64, 0), decimal.New(math.MinInt64, 0)
	assert.Equal(t, strconv.FormatUint(math.MaxInt64+1, 10), largest.Add(decimal.New(1, 0)).String())
	assert.Equal(t, "-9223372036854775809", smallest.Add(decimal.New(-1, 0)).String())
	assert.Equal(t, "-1", largest.Add(smallest).String())
	assert.Equal(t, "9223372036854775808", smallest.Mul(decimal.New(-1, 0)).String())
	assert.Equal(t, "-9223372036854775808", smallest.Mul(decimal.New(1, 0)).String())
}

func TestFromTextReadsWhatStringWrites(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "7", "0.0001", "-2.5", "123456789012345678", "1234567890123456789012345678901234567890.000000000000000000000000000001"} {
		assert.Equal(t, text, decimal.FromText(text).String())
	}
	assert.True(t, decimal.FromText("x").IsZero())
}

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

// No decimal with as many places may be nearer.
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
