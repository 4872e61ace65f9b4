package prices_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestUSD(t *testing.T) {
	t.Parallel()
	const huge = "1000000000000000000000000000000000000000.5"
	for _, row := range []struct {
		a, b, sum, difference prices.USD
		cmp                   int
	}{
		{"0.1", "0.2", "0.3", "-0.1", -1},
		{"1", "1.0", "2", "0", 0},
		{"-0.5", "0.25", "-0.25", "-0.75", -1},
		{"0", "-0", "0", "0", 0},
		{huge, "0.5", "1000000000000000000000000000000000000001", "1000000000000000000000000000000000000000", 1},
		{"", "1", "", "", -1},
		{"-1", "", "", "", 1},
		{"", "", "", "", 0},
		{"1e3", "1", "", "", -1},
	} {
		assert.Equal(t, []any{row.sum, row.difference, row.cmp}, []any{row.a.Add(row.b), row.a.Sub(row.b), row.a.Cmp(row.b)}, "%s and %s", row.a, row.b)
	}
	for usd, want := range map[prices.USD]float64{"0.1": 0.1, "-2.5": -2.5, "": 0, "x": 0} {
		assert.InDelta(t, want, usd.Float64(), 0, usd)
	}
}

// An amount's JSON is a string. Invalid text is refused and not quoted.
func TestUSDIsDecodedStrictly(t *testing.T) {
	t.Parallel()
	type amount struct {
		USD prices.USD `json:"usd"`
	}
	var line amount
	for _, usd := range []prices.USD{"0.0345", "-12", "", "0", prices.USD("1" + strings.Repeat("0", 40))} {
		text, err := json.Marshal(amount{usd})
		require.NoError(t, err)
		assert.Contains(t, string(text), `"usd":"`+string(usd)+`"`)
		require.NoError(t, json.Unmarshal(text, &line))
		assert.Equal(t, usd, line.USD)
	}
	require.NoError(t, json.Unmarshal([]byte(`{"usd":"1","usd":null}`), &line))
	for _, text := range []string{`"secret"`, `"1e3"`, `"+1"`, `"1/3"`, `".5"`, `"5."`, `"--1"`, `"-"`, `" 1"`, `"1_0"`, `"` + strings.Repeat("1", 20_000) + `"`} {
		var wrong *prices.ValueError
		if assert.ErrorAs(t, json.Unmarshal([]byte(`{"usd":`+text+`}`), &line), &wrong, text) {
			assert.EqualError(t, wrong, "prices: USD must be a plain decimal such as 0.0345")
		}
	}
	assert.Error(t, json.Unmarshal([]byte(`{"usd":1.5}`), &line), "a JSON number may be rounded")
}

func FuzzUSD(f *testing.F) {
	f.Add("0.1", "-2.50")
	f.Fuzz(func(t *testing.T, a, b string) {
		var u, v prices.USD
		if u.UnmarshalText([]byte(a)) != nil || v.UnmarshalText([]byte(b)) != nil || u == "" || v == "" {
			assert.True(t, u == "" || v == "" || u.Add(v) == "", "invalid text means unknown")
			return
		}
		x, ok := new(big.Rat).SetString(a)
		y, fine := new(big.Rat).SetString(b)
		require.True(t, ok && fine)
		sum, _ := new(big.Rat).SetString(string(u.Add(v)))
		difference, _ := new(big.Rat).SetString(string(u.Sub(v)))
		assert.Zero(t, sum.Cmp(new(big.Rat).Add(x, y)))
		assert.Zero(t, difference.Cmp(new(big.Rat).Sub(x, y)))
		assert.Equal(t, x.Cmp(y), u.Cmp(v))
	})
}
