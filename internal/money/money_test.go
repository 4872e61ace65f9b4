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
}

// No float64 equals 0.001455, and the nearest one would round down.
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
}

// show returns a total's parts as the sheet shows them.
func show(sheet *money.Sheet, total string, parts ...string) []string {
	exact := make([]*big.Rat, len(parts))
	for i, part := range parts {
		exact[i] = money.Exact(part)
	}
	return sheet.Texts(money.Format{}, money.Exact(total), exact...)
}

func TestSplitAddsUp(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		total       string
		parts, want []string
	}{
		{"1", []string{"0.333", "0.333", "0.334"}, []string{"0.33", "0.33", "0.34"}},
		{"2", []string{"0.6666", "0.6666", "0.6668"}, []string{"0.67", "0.66", "0.67"}},
		{"1.58", []string{"1.307", "0.267", "0"}, []string{"1.31", "0.27", "0.00"}}, // a total that is a difference
		{"1.56", []string{"1.307", "0.267", "0"}, []string{"1.30", "0.26", "0.00"}},
		{"0.30", []string{"-0.504", "0.806", "0"}, []string{"-0.51", "0.81", "0.00"}},
		{"10.01", []string{"10", "0.004", "0.0035"}, []string{"10.00", "0.01", "<0.01"}},
		{"0", nil, []string{}},
		{"5", []string{"1"}, []string{"1.00"}}, // not parts of that total
	} {
		assert.Equal(t, row.want, show(money.NewSheet(2), row.total, row.parts...), row)
	}
}

func TestSheetShowsAnAmountAlike(t *testing.T) {
	t.Parallel()
	sheet := money.NewSheet(2)
	assert.Equal(t, []string{"0.35", "0.35", "0.30"}, show(sheet, "1", "0.346", "0.351", "0.303"))
	assert.Equal(t, []string{"0.30", "0.35", "0.35"}, show(sheet, "1", "0.303", "0.346", "0.351"), "in another table with the same amounts")
	assert.Equal(t, []string{"0.35", "0.65"}, show(sheet, "1", "0.346", "0.654"), "and in one with sums")
	assert.Equal(t, "0.65", sheet.Text(money.Format{}, money.Exact("0.654")))
	assert.Equal(t, []string{"0.34", "0.33", "0.33"}, show(sheet, "1", "0.3333", "0.3333", "0.3333"), "equal parts of a sum aren't")
	assert.Equal(t, []string{"0.34", "0.33", "0.33"}, show(sheet, "1", "0.3333", "0.3333", "0.3333"))
}

func TestSheetShowsTheDifferenceOfWhatItShows(t *testing.T) {
	t.Parallel()
	sheet := money.NewSheet(2)
	now, before := money.Exact("26.876"), money.Exact("25.304")
	change := sheet.Difference(now, before)
	plus := money.Format{Currency: "$", Plus: "+"}
	assert.Equal(t, []string{"$26.88", "$25.30", "+$1.58"}, []string{sheet.Text(money.Format{Currency: "$"}, now), sheet.Text(money.Format{Currency: "$"}, before), sheet.Text(plus, change)})
	assert.Equal(t, []string{"+$1.31", "+$0.27"}, sheet.Texts(plus, change, money.Exact("1.306"), money.Exact("0.266")))
}
