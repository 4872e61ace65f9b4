package discovery_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// decimal writes units / 10^places.
func decimal(units int64, places int) string {
	sign, digits := "", strconv.FormatInt(units, 10)
	if units < 0 {
		sign, digits = "-", digits[1:]
	}
	digits = strings.Repeat("0", max(0, places+1-len(digits))) + digits
	if places == 0 {
		return sign + digits
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

// Many amounts with up to 12 decimals, as numbers, strings or with exponents, have the
// same exact sum in any order and however they're spread over days.
func TestManyAmountsAddUpExactly(t *testing.T) {
	t.Parallel()
	amounts, pages := whole.Cases(100_000, 5_000), 10
	random := rand.New(rand.NewPCG(7, 11))
	exact, texts := new(big.Int), make([]string, amounts) // in units of 1E-12
	for i := range texts {
		places := random.IntN(13)
		units := random.Int64N(2_000_000_000_000) - 1_000_000_000
		exact.Add(exact, new(big.Int).Mul(big.NewInt(units), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(12-places)), nil)))
		switch text := decimal(units, places); i % 3 {
		case 0:
			texts[i] = text
		case 1:
			texts[i] = strconv.Quote(text)
		default:
			texts[i] = fmt.Sprintf("%dE-%d", units, places)
		}
	}
	want, _ := new(big.Rat).SetFrac(exact, big.NewInt(1_000_000_000_000)).Float64()
	query := openQuery()
	query.Timeout = time.Hour // with the race detector, a slow machine takes long for a page
	for range 2 {
		random.Shuffle(amounts, func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		answers := make(map[string]string)
		for page := range pages {
			results := make([]string, 0, amounts/pages)
			for _, text := range texts[page*amounts/pages : (page+1)*amounts/pages] {
				results = append(results, `{"amount":{"value":`+text+`}}`)
			}
			cursor := ""
			if page > 0 {
				cursor = strconv.Itoa(page)
			}
			answers[cursor] = costPage(page+1 < pages, strconv.Quote(strconv.Itoa(page+1)), costDay(int64(page), results...))
		}
		report, err := costs(answers).inProcess().ReconcileOpenAICost(t.Context(), query, &want)
		require.NoError(t, err)
		require.True(t, report.Complete)
		assert.Equal(t, want, report.ActualUSD)
		assert.Len(t, report.Buckets, pages)
	}
}

// An amount's float64 is the nearest one, as computed by math/big.
func TestAmountIsTheNearestFloat(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	texts, days := make([]string, 5_000), make([]string, 5_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("%dE-%d", random.Int64N(1<<uint(1+random.IntN(62))), random.IntN(45))
		days[i] = costDay(int64(i), result(texts[i], ""))
	}
	query := openQuery()
	query.Timeout = time.Hour // with the race detector, a slow machine takes long for a page
	buckets, err := costs(map[string]string{"": costPage(false, "null", days...)}).inProcess().FetchOpenAICostBuckets(t.Context(), query)
	require.NoError(t, err)
	require.Len(t, buckets, len(texts))
	for i, b := range buckets {
		exact, ok := reference(texts[i])
		require.True(t, ok)
		want, _ := exact.Float64()
		require.Equal(t, want, b.TotalUSD, texts[i])
	}
}

func TestHugeExponentsAreRejected(t *testing.T) {
	t.Parallel()
	for text, readable := range map[string]bool{
		"0E-6176": true, "0e999999999999999999999": true, "0.000E-999999999": true, "-0": true, "-0.0E+5": true, "1.5E-6176": true, "1E-6250": true, "1e29": true,
		"1E-6251": false, "1e30": false, "1E400": false, "-1E400": false, "1E999999999": false, "1E-999999999": false, "1E99999999999999999999": false,
		"1E-99999999999999999999": false, "1E9223372036854775807": false, "1E-9223372036854775808": false,
	} {
		for _, written := range []string{text, strconv.Quote(text)} {
			begin := time.Now()
			s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1", ""), result(written, "")))})
			buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
			require.NoError(t, err)
			assert.Less(t, time.Since(begin), time.Minute, written)
			assert.Equal(t, readable, len(buckets) == 1 && len(s.failures) == 0, written)
			if strings.HasPrefix(strings.TrimPrefix(text, "-"), "0") {
				assert.Equal(t, 1.0, buckets[0].TotalUSD, written)
			}
		}
	}
}

// Adding a thousand tiny amounts to huge integers is exact and quick.
func TestSmallAndLargeAmountsTogether(t *testing.T) {
	t.Parallel()
	var results []string
	for range 1000 {
		results = append(results, result("1E-6176", ""), result("123456789012345678901234567890", ""), result("-123456789012345678901234567890", ""))
	}
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, append(results, result("0.1", ""))...))})
	buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
	require.NoError(t, err)
	require.Len(t, buckets, 1)
	assert.Equal(t, 0.1, buckets[0].TotalUSD)
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// reference parses a number with math/big; ok is false for other strings and for numbers
// beyond the supported range.
func reference(text string) (value *big.Rat, ok bool) {
	if !number.MatchString(text) {
		return nil, false
	}
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	if strings.Trim(mantissa, "-0.") == "" {
		return new(big.Rat), true
	}
	if n, err := strconv.Atoi(exponent); err != nil || n > 20000 || n < -20000 {
		return nil, false
	}
	value, ok = new(big.Rat).SetString(text)
	if !ok {
		return nil, false
	}
	limit, _ := new(big.Rat).SetString("1e30")
	_, fraction, _ := strings.Cut(mantissa, ".")
	shift, _ := strconv.Atoi(exponent)
	return value, new(big.Rat).Abs(value).Cmp(limit) < 0 && len(fraction)-shift <= 6250
}

// FuzzAmount compares amounts with math/big: the result is the same number or a failure.
func FuzzAmount(f *testing.F) {
	for _, seed := range []string{
		"0", "0.1", "-0.05", "12.50", "0E-6176", "1.5E-6176", "1E400", "1e-99999999999", "00012", "1/3", "0x10", "1_000", "+1", "Inf", "NaN", ".5", "5.", "-", "",
		"1e+2", "123456789012345678901234567890", "0.000000000000000000000000000000000000000001", "1 ", "１", "9007199254740993", "1e", "-0e1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		s := costs(map[string]string{"": costPage(false, "null", costDay(0, result(string(quoted), "")))})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		want, ok := reference(text)
		if !ok {
			assert.Empty(t, buckets, text)
			requireOneFailure(t, s, discovery.ReasonDecode)
			return
		}
		require.Len(t, buckets, 1, text)
		nearest, _ := want.Float64()
		assert.Equal(t, nearest, buckets[0].TotalUSD, text)
	})
}
