package bills_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCompareRefusesWhatCannotBeCompared(t *testing.T) {
	t.Parallel()
	item := func(day string, usd prices.USD) bills.Bill { return *bill(0, bills.Item{Day: day, USD: usd}) }
	noTime := *bill(0)
	noTime.To = time.Time{}
	nobody := *bill(0)
	nobody.Provider = "nobody"
	for field, bills := range map[string][]bills.Bill{
		"provider": {nobody}, "To": {noTime}, "LimitPercent": {*bill(-1), *bill(math.NaN()), *bill(math.Inf(1))},
		"Items": {item("", "1"), item("2026-11-31", "1"), item(sunday, ""), item(sunday, "1e3"), item(sunday, "--1"), item(sunday, "1,5"), item(sunday, "1234567890123456789012345678901")},
	} {
		for _, b := range bills {
			refuses(t, field, &b)
		}
	}
	of := []string{sunday, "wide"}
	by := func(name, value string) calls.Group {
		return calls.Group{Names: append(slices.Clone(byDay), name), Values: append(slices.Clone(of), value)}
	}
	for field, counted := range map[string][]calls.Group{
		"groups": {
			{Names: byDay, Values: []string{"today", ""}}, {Names: byDay, Values: of, USD: "NaN"}, {Names: byDay, Values: of, FeesUSD: "+1"},
			{Values: of}, {Names: byDay[:1], Values: of[:1]}, {Names: byDay, Values: of[:1]}, {Names: []string{calls.ByModel, calls.ByWeek}, Values: []string{"wide", sunday}},
			by(calls.ByProvider, "xai"), by(calls.ByPlatform, "bedrock"), by(calls.ByBilling, calls.Subscription),
		},
		"groups.Unpriced": {{Names: byDay, Values: of, Calls: 1, Unpriced: 2}, {Names: byDay, Values: of, Unpriced: -1}},
		"groups.Usage":    {{Names: byDay, Values: of, Usage: prices.Usage{CacheRead: -1}}},
	} {
		for _, c := range counted {
			refuses(t, field, bill(0), c)
		}
	}
}

func refuses(t *testing.T, field string, b *bills.Bill, counted ...calls.Group) {
	t.Helper()
	c, err := bills.Compare(b, counted)
	assert.Nil(t, c)
	var value *bills.ValueError
	require.ErrorAs(t, err, &value, field)
	assert.Equal(t, field, value.Field)
}

func FuzzCompare(f *testing.F) {
	f.Add("1.5", "input", int64(10), "1.25", "0", int64(7), uint8(3))
	f.Add("-0.000001", "", int64(-1), "0.1", "0.2", int64(0), uint8(0))
	f.Fuzz(func(t *testing.T, billedUSD, kind string, n int64, countedUSD, feesUSD string, used int64, unpriced uint8) {
		billed, counted, fees := prices.USD(billedUSD), prices.USD(countedUSD), prices.USD(feesUSD)
		b := bill(0, bills.Item{Day: sunday, Model: "wide", Kind: kind, USD: billed}, bills.Item{Day: monday, Model: "wide", Kind: "input", USD: billed, Tokens: &n})
		c, err := bills.Compare(b, []calls.Group{
			{Names: byDay, Values: []string{sunday, "wide"}, Calls: int(unpriced) + 1, Unpriced: int(unpriced), USD: counted, FeesUSD: fees, Usage: prices.Usage{Input: used, Output: used / 2}},
			{Names: byDay, Values: []string{monday, "wide"}, Calls: 1, USD: counted, Usage: prices.Usage{Input: used}},
		})
		if err == nil {
			addsUp(t, c, billedUSD)
			require.NotEmpty(t, c.Sentences())
		}
	})
}
