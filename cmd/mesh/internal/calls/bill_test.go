package calls_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/calls"
)

func day(name, billed, counted string, unpriced int) calls.BillDay {
	b, _ := new(big.Rat).SetString(billed)
	c, _ := new(big.Rat).SetString(counted)
	return calls.BillDay{Day: name, Billed: b, Counted: c, Unpriced: unpriced}
}

func TestBill(t *testing.T) {
	t.Parallel()
	for want, days := range map[string][]calls.BillDay{
		"counted 0 USD, billed 0 USD, calls without a known cost: 0, difference 0 USD":                                                nil,
		"counted 2 USD, billed 2 USD, calls without a known cost: 0, difference 0 USD (0.0 %)":                                        {day("2026-11-20", "2", "2", 0)},
		"counted 0 USD, billed -5 USD, calls without a known cost: 0, difference -5 USD; most on 2026-11-20 -5":                       {day("2026-11-20", "-5", "0", 0)},
		"counted 10.1 USD, billed 7 USD, calls without a known cost: 4, difference -3.1 USD (-30.7 %); most on d -4, b +2, c -1.0001": {day("a", "1", "0.9999", 0), day("b", "2", "0", 4), day("c", "3", "4.0001", 0), day("d", "1", "5", 0), day("e", "0", "0.1", 0), day("f", "0", "0", 0)},
	} {
		bill := calls.Bill{Provider: "openai<b>", Days: days}
		assert.Equal(t, want, bill.Summary())
		var page bytes.Buffer
		require.NoError(t, bill.Page().Write(&page))
		assert.Contains(t, page.String(), "Bill of openai&lt;b&gt;")
	}
}
