package costs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// part is a part of a bill with a known cost of its calls.
func part(name, billed, counted, drift string) discovery.BillPart {
	return discovery.BillPart{Name: name, BilledUSD: billed, CountedUSD: counted, DriftUSD: drift}
}

// because is a part whose drift has a cause.
func because(p discovery.BillPart, cause discovery.DriftCause) discovery.BillPart {
	p.Cause = cause
	return p
}

func TestBillSummary(t *testing.T) {
	t.Parallel()
	type parts = []discovery.BillPart
	unpriced := discovery.BillPart{Name: "a", BilledUSD: "2", Unpriced: 1}
	for want, c := range map[string]discovery.BillComparison{
		"counted 0 USD, billed 0 USD, unpriced calls: 0, drift 0 USD": {Total: part("", "0", "0", "0")},
		"counted 2 USD, billed 2 USD, unpriced calls: 0, drift 0 USD (0.0 %); day: d": {
			Total: part("", "2", "2", "0"), Days: parts{part("d", "2", "2", "0")}, Models: parts{part("gpt-5.4", "2", "2", "0")},
		},
		"counted 0.3 USD, billed 0.3 USD, unpriced calls: 0, drift 0 USD (0.0 %); day: d": { // what is less than a millionth is no difference
			Total: part("", "0.3", "0.3000000000000001", "-0.0000000000000001"), Days: parts{part("d", "0.3", "0.3000000000000001", "-0.0000000000000001")},
		},
		"counted 0 USD, billed -5 USD, unpriced calls: 0, drift -5 USD; most by day: 2026-11-20 -5; other (no model in costs without a line item, \"Credit\") -5; day: 2026-11-20": {
			Total: part("", "-5", "0", "-5"), Days: parts{part("2026-11-20", "-5", "0", "-5")}, OtherUSD: "-5", OtherItems: []string{"", "Credit"},
		},
		"counted 3 USD, billed 2 USD, unpriced calls: 0, drift -1 USD (-33.3 %); most by day: a -1; by model: gpt-5.4 -3; day: a": {
			Total: part("", "2", "3", "-1"), Days: parts{part("a", "2", "3", "-1")}, Models: parts{part("gpt-5.4", "0", "3", "-3")},
		},
		"counted 3 USD, billed 2 USD, unpriced calls: 0, drift -1 USD (-33.3 %) (another price); most by day: a -1 (missing in the bill); by model: gpt-5.4 -1 (another price); day: a": {
			Total: because(part("", "2", "3", "-1"), discovery.CauseAnotherPrice), Days: parts{because(part("a", "2", "3", "-1"), discovery.CauseMissingCalls)},
			Models: parts{because(part("gpt-5.4", "2", "3", "-1"), discovery.CauseAnotherPrice)},
		},
		"counted not known, billed 2 USD, unpriced calls: 1, drift not known; day: a": {Total: unpriced, Days: parts{unpriced}},
		"counted 10.1 USD, billed 7 USD, unpriced calls: 4, drift not known (without them -3.1 USD); most by day: d -4, b +2, c -1.0001; by model: (without) -10.1; days: a to e": {
			Total: discovery.BillPart{BilledUSD: "7", CountedUSD: "10.1", DriftUSD: "-3.1", Unpriced: 4},
			Days: parts{
				part("a", "1", "0.9999", "0.0001"), part("b", "2", "0", "2"), part("c", "3", "4.0001", "-1.0001"), part("d", "1", "5", "-4"), part("e", "0", "0.1", "-0.1"),
			},
			Models: parts{part("", "0", "10.1", "-10.1")},
		},
	} {
		assert.Equal(t, want, costs.BillSummary(&c, true))
	}
	none := discovery.BillComparison{Total: part("", "2", "0", "2"), Days: parts{part("d", "2", "0", "2")}}
	assert.Equal(t, "counted 0 USD, billed 2 USD, unpriced calls: 0, drift not known; day: d", costs.BillSummary(&none, false))
}
