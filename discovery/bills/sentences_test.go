package bills_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func tokens(n int64) *int64 { return &n }

// bill is an OpenAI bill for a week.
func bill(limit float64, items ...bills.Item) *bills.Bill {
	from := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	return &bills.Bill{Provider: "Open AI", From: from, To: from.AddDate(0, 0, 7), LimitPercent: limit, Items: items}
}

func input(day, model string, usd prices.USD, n int64) bills.Item {
	return bills.Item{Day: day, Name: model + ", input", Model: model, Kind: "input", USD: usd, Tokens: tokens(n)}
}

func counted(day, model string, usd prices.USD, n int64) calls.Group {
	return calls.Group{Names: byDay, Values: []string{day, model}, Calls: 10, USD: usd, Usage: prices.Usage{Input: n}}
}

func compare(t *testing.T, b *bills.Bill, counted ...calls.Group) *bills.Comparison {
	t.Helper()
	c, err := bills.Compare(b, counted)
	require.NoError(t, err)
	addsUp(t, c, t.Name())
	return c
}

var byDay = []string{calls.ByDay, calls.ByModel}

const sunday, monday = "2026-11-15", "2026-11-16"

func TestSentencesHaveTheEffects(t *testing.T) {
	t.Parallel()
	c := compare(t, bill(0, input(sunday, "wide", "7.62", 300), input(monday, "wide", "2.54", 100), input(monday, "narrow", "2.2", 100)),
		counted(sunday, "wide", "5.08", 200), counted(monday, "wide", "2.54", 100), counted(monday, "narrow", "2.5", 100))
	assert.Equal(t, []string{
		"Bill and calls differ by 18.1 % of the bill, more than the limit of 2 %.",
		"Billed 12.36 USD, counted 10.12 USD; +2.24 USD: +2.54 for calls that were not counted, −0.30 another price.",
		"2026-11-15 wide: +2.54 USD for calls that were not counted.",
		"2026-11-16 narrow: −0.30 USD: another price.",
	}, c.Sentences())
	text, err := json.Marshal(c)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"sentences":["Bill and calls differ by 18.1 %`)
	assert.Contains(t, string(text), `"effects":[{"cause":"missing_calls","usd":"2.54"},{"cause":"another_price","usd":"-0.3"}],"cause":"mixed"`)
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	unpriced := calls.Group{Names: byDay, Values: []string{sunday, "wide"}, Calls: 4, Unpriced: 4}
	for _, row := range []struct {
		billed, counted prices.USD
		limit           float64
		more            []calls.Group
		within, known   bool
		verdict         string
	}{
		{"1", "1", 0, nil, true, true, "Bill and calls differ by 0.0 % of the bill, within the limit of 2 %."},
		{"1", "0.98", 0, nil, true, true, "Bill and calls differ by 2.0 % of the bill, within the limit of 2 %."},
		{"1", "0.979", 0, nil, false, true, "Bill and calls differ by 2.1 % of the bill, more than the limit of 2 %."},
		{"1", "1.03", 0, nil, false, true, "Bill and calls differ by 3.0 % of the bill, more than the limit of 2 %."},
		{"1", "1.03", 3, nil, true, true, "Bill and calls differ by 3.0 % of the bill, within the limit of 3 %."},
		{"1", "1", math.SmallestNonzeroFloat64, nil, true, true, "Bill and calls differ by 0.0 % of the bill, within the limit of 0.00 %."},
		{"1", "1.000001", math.SmallestNonzeroFloat64, nil, false, true, "Bill and calls differ by 0.0 % of the bill, more than the limit of 0.00 %."},
		{"-1", "-1.01", 0, nil, true, true, "Bill and calls differ by 1.0 % of the bill, within the limit of 2 %."},
		{"0", "1", 0, nil, false, false, "Nothing was billed."},
		{"1", "1", 0, []calls.Group{unpriced}, false, false, "Unknown whether bill and calls differ by more than 2 % of the bill."},
		{"1", "1", 50, []calls.Group{unpriced}, true, true, "Bill and calls differ by at most 40.0 % of the bill, within the limit of 50 %."},
		{"100", "1", 50, []calls.Group{unpriced}, false, true, "Bill and calls differ by 98.6 % of the bill, more than the limit of 50 %."},
	} {
		c := compare(t, bill(row.limit, input(sunday, "wide", row.billed, 1)), append(row.more, counted(sunday, "wide", row.counted, 1))...)
		assert.Equal(t, []any{row.within, row.known, row.verdict}, []any{c.Within, c.Known, c.Sentences()[0]}, row.verdict)
		assert.Less(t, len(c.Sentences()[0]), 80)
	}
	c := compare(t, bill(0, input(sunday, "wide", "1", 1)))
	assert.False(t, c.Within || c.Known)
	assert.Equal(t, []string{"There are no calls to compare with the bill.", "Billed 1.00 USD."}, c.Sentences())
	c = compare(t, bill(0, input(sunday, "wide", "1", 1)), unpriced)
	assert.False(t, c.Within || c.Known)
	assert.Equal(t, bills.UnpricedCalls, c.Total.Cause, "no call has a cost")
	assert.Equal(t, "4 calls have no known cost.", c.Sentences()[3])
	assert.Zero(t, c.Range)
}

func TestSentencesOfOtherItemsAndUnpricedCalls(t *testing.T) {
	t.Parallel()
	items := []bills.Item{input(sunday, "wide", "1", 10)}
	for _, name := range []string{"", "web\nsearch", "Tax", "storage", "Credit"} {
		items = append(items, bills.Item{Day: sunday, Name: name, Kind: bills.KindOther, USD: "1234.5"})
	}
	items = append(items, bills.Item{Day: sunday, Name: "free", Kind: bills.KindOther, USD: "0"})
	c := compare(t, bill(0, items...), counted(sunday, "wide", "1", 10), calls.Group{Names: byDay, Values: []string{sunday, "wide"}, Calls: 1, Unpriced: 1})
	assert.Equal(t, bills.Fees, c.Total.Cause)
	assert.Equal(t, []string{"", "Credit", "Tax", "storage", "web\nsearch"}, c.OtherItems)
	all := strings.Join(c.Sentences(), "|")
	assert.Contains(t, all, `2026-11-15: +6,172.50 USD for fees and credits.`)
	assert.Contains(t, all, `No model: an item without a name, "Credit", "Tax", 2 more.`)
	assert.Contains(t, all, "1 call has no known cost; if each costs at most what the dearest others do, the difference is +6,172.40 to +6,172.50 USD.")
}

// Amounts are in cents, unless that hides the difference.
func TestSmallAmounts(t *testing.T) {
	t.Parallel()
	c := compare(t, bill(0, input(sunday, "wide", "1.234567", 10)), counted(sunday, "wide", "1.2345", 10))
	assert.Equal(t, "Billed 1.234567 USD, counted 1.234500 USD; +0.000067 USD.", c.Sentences()[1])
	assert.Empty(t, c.Total.Cause)
	assert.Equal(t, []bills.Effect{{Cause: bills.AnotherPrice, USD: "0.000067"}}, c.Total.Effects)

	c = compare(t, bill(0, input(sunday, "wide", "3.0000004", 3)), counted(sunday, "wide", "2", 2))
	assert.Equal(t, []bills.Effect{{Cause: bills.MissingCalls, USD: "1.0000004"}}, c.Total.Effects, "rounding is not a separate effect")
	compare(t, bill(0, input(sunday, "wide", "1", 3), input(monday, "wide", "1", 3)), counted(sunday, "wide", "0.33", 1), counted(monday, "wide", "0.34", 1))
}

// An amount of 0 stays 0, and none is a unit or more off, however many are rounded.
func TestRoundedAmountsAreClose(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	amount := func() prices.USD { return prices.USD(strconv.FormatFloat(math.Round(r.Float64()*3e4)/1e6, 'f', 6, 64)) }
	for range whole.Cases(300, 30) {
		var items []bills.Item
		var groups []calls.Group
		for i := range 3 + r.IntN(12) {
			day, name, usd := []string{sunday, monday}[i%2], fmt.Sprint("model-", i), amount()
			switch r.IntN(4) {
			case 0: // not counted
				items = append(items, input(day, name, usd, 9))
			case 1: // not billed
				groups = append(groups, counted(day, name, usd, 9))
			case 2: // the same
				items, groups = append(items, input(day, name, usd, 9)), append(groups, counted(day, name, usd, 9))
			case 3:
				items, groups = append(items, input(day, name, usd, 9)), append(groups, counted(day, name, amount(), 9))
			}
		}
		c := compare(t, bill(0, items...), groups...)
		rounded := c.Rounded()
		for i, p := range slices.Concat([]bills.Part{rounded.Total}, rounded.Days, rounded.Cells) {
			exact := slices.Concat([]bills.Part{c.Total}, c.Days, c.Cells)[i]
			for shown, usd := range map[prices.USD]prices.USD{p.BilledUSD: exact.BilledUSD, p.CountedUSD: exact.CountedUSD, p.DriftUSD: exact.DriftUSD} {
				off := decimalOf(shown)
				off.Sub(off, decimalOf(usd))
				assert.Negative(t, off.Abs(off).Cmp(big.NewRat(1, int64(math.Pow10(c.Places())))), "%s for %s in %+v", shown, usd, p)
			}
		}
	}
}
