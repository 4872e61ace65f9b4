package focus_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// A quantity of the bill is what was consumed. The unit price times the priced quantity is the cost in any case.
func TestQuantitiesOfABill(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		usd      float64
		quantity discovery.Quantity
		want     string // consumed and its unit, priced quantity, its unit, unit price
	}{
		{2.5, discovery.Quantity{Amount: "1000000", Unit: "tokens"}, "1000000 Tokens 1 1000000 Tokens 2.5"},
		{0.00375, discovery.Quantity{Amount: "1.5", Unit: "1000_tokens"}, "1500 Tokens 0.0015 1000000 Tokens 2.5"},
		{0.1, discovery.Quantity{Amount: "3", Unit: "tokens"}, "3 Tokens 0.1 USD 1"},
		{0.2, discovery.Quantity{Amount: "4", Unit: "images"}, "4 Images 4 Images 0.05"},
		{0.25, discovery.Quantity{Amount: "2.5", Unit: "gibibyte_hours"}, "2.5 GiB-Hours 2.5 GiB-Hours 0.1"},
		{0.6, discovery.Quantity{Amount: "6", Unit: "duration_minutes"}, "6 Minutes 6 Minutes 0.1"},
		{15, discovery.Quantity{Amount: "500000", Unit: "characters"}, "500000 Characters 0.5 1000000 Characters 30"},
		{3, discovery.Quantity{Amount: "3", Unit: "seats"}, "3 USD 3 USD 1"},
		{3, discovery.Quantity{Amount: "0", Unit: "tokens"}, "3 USD 3 USD 1"},
		{3, discovery.Quantity{Amount: "-1", Unit: "tokens"}, "3 USD 3 USD 1"},
		{3, discovery.Quantity{}, "3 USD 3 USD 1"},
		{-3, discovery.Quantity{Amount: "3", Unit: "tokens"}, "    "},
	} {
		var out bytes.Buffer
		require.NoError(t, focus.WriteBill(&out, models.OpenAI, "", []discovery.CostBucket{{
			StartTime: 1793577600, EndTime: 1793664000, TotalUSD: row.usd, LineItemBreakdown: map[string]float64{"item": row.usd},
			LineItemQuantities: map[string]discovery.Quantity{"item": row.quantity},
		}}))
		_, rows := readRows(t, out.String())
		require.Len(t, rows, 1)
		r := rows[0]
		assert.Equal(t, row.want, r["ConsumedQuantity"]+" "+r["ConsumedUnit"]+" "+r["PricingQuantity"]+" "+r["PricingUnit"]+" "+r["ListUnitPrice"])
		assert.Equal(t, r["ListUnitPrice"], r["ContractedUnitPrice"])
	}
}
