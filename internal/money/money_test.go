package money_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/money"
)

func TestUSD(t *testing.T) {
	t.Parallel()
	for usd, want := range map[string]string{
		"0": "0.00", "0.000001": "<0.0001", "0.0154": "0.0154", "0.99995": "1.0000", "1": "1.00", "1.005": "1.00", "1.015": "1.02", "1.0050000000000000001": "1.01",
		"1234567.891": "1,234,567.89", "-1234.5": "-1,234.50", "1000000000000000000000000000000.125": "1,000,000,000,000,000,000,000,000,000,000.12", "-0.5": "-0.5000", "100": "100.00",
		"x": "0.00", "-0.00001": "-<0.0001",
	} {
		assert.Equal(t, want, money.USD(usd), usd)
	}
	assert.Equal(t, "1,234", money.About("1234.5"))
	assert.Equal(t, "1,236", money.About("1235.5"))
	assert.Equal(t, "99.99", money.About("99.99"))
	assert.Equal(t, "1,234.50", money.Column(money.Exact("1234.5"), 2))
}

// A float64 rounds 0.001455 down, to which no float64 is equal.
func TestSignificant(t *testing.T) {
	t.Parallel()
	for usd, want := range map[string]string{
		"0.001455": "0.00146", "0.001445": "0.00144", "0.0014450001": "0.00145", "0": "0", "12.35": "12.4", "12.25": "12.2", "123.5": "124", "1234": "1,234", "0.078849": "0.0788",
	} {
		assert.Equal(t, want, money.Significant(money.Exact(usd)), usd)
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	cent := big.NewRat(1, 100)
	for _, row := range []struct {
		f    money.Format
		want map[string]string
	}{
		{money.Format{}, map[string]string{"0.4": "0", "-0.4": "0", "1234.5": "1,234", "-1235.5": "-1,236"}},
		{money.Format{Places: 2, Plus: "+", Minus: "−"}, map[string]string{"0.004": "0.00", "-0.004": "0.00", "0": "0.00", "1": "+1.00", "-1234.5": "−1,234.50"}},
		{money.Format{Places: 2, Small: 6, Limit: cent}, map[string]string{"0": "0.00", "0.009": "0.009000", "-0.009": "-0.009000", "0.01": "0.01", "0.0000001": "0.000000"}},
		{money.Format{Places: 8, Small: 6, Limit: cent}, map[string]string{"0.001": "0.00100000"}},
		{
			money.Format{Currency: "$", Places: 2, Plus: "+", Least: true},
			map[string]string{"0.001": "+<$0.01", "-0.001": "-<$0.01", "0": "$0.00", "0.01": "+$0.01", "-1000": "-$1,000.00"},
		},
	} {
		for usd, want := range row.want {
			assert.Equal(t, want, row.f.Text(money.Exact(usd)), "%+v %s", row.f, usd)
		}
	}
	assert.Equal(t, []string{"+0.5000", "-2.00", "0.00"}, []string{money.Signed("0.5"), money.Signed("-2"), money.Signed("0")})
}
