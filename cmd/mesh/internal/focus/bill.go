package focus

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// WriteBill writes a bill's buckets in their order. Each has a row per line item, or else
// per project or workspace, or else one for the total. An amount of 0 has no row, and a
// negative amount is a credit. Amounts are the buckets' float64 values as shortest
// decimals.
//
// # Quantities
//
// A charge consumes its line item's quantity if the provider states it
// ([discovery.Quantity]), or else dollars. The unit price is the amount divided by the
// quantity; if that needs more than twelve decimal places, the charge is priced in
// dollars.
//
// # Account
//
// account is the BillingAccountId. If it's "", WriteBill uses the organization in
// OpenAI's results, or "default".
//
// # Errors
//
// An unknown provider or a bucket time that is not RFC 3339 is an error. Then nothing is
// written.
func WriteBill[B discovery.Bucket](w io.Writer, provider models.Provider, account string, buckets []B) error {
	p, err := models.ParseProvider(string(provider))
	if err != nil {
		return err
	}
	var rows []row
	for _, b := range buckets {
		var period billed
		switch b := any(b).(type) {
		case discovery.CostBucket:
			period = billedOf(b)
		case discovery.TeamCostBucket:
			if period, err = billedTeam(b); err != nil {
				return err
			}
		}
		period.account = cmp.Or(account, period.account)
		rows = append(rows, period.rows(p)...)
	}
	return write(w, slices.Values(rows))
}

// billed is a bucket from any provider.
type billed struct {
	start, end time.Time
	account    string
	amounts    []amount
}

// amount is one row. item or subAccount may be empty.
type amount struct {
	item, subAccount string
	usd              float64
	quantity         discovery.Quantity // zero if unknown
}

func billedOf(b discovery.CostBucket) billed {
	period := billed{start: time.Unix(b.StartTime, 0), end: time.Unix(b.EndTime, 0), account: organization(b.RawResults)}
	switch {
	case len(b.LineItemBreakdown) > 0:
		for _, item := range slices.Sorted(maps.Keys(b.LineItemBreakdown)) {
			period.amounts = append(period.amounts, amount{item: item, usd: b.LineItemBreakdown[item], quantity: b.LineItemQuantities[item]})
		}
	case len(b.ProjectBreakdown) > 0, len(b.WorkspaceBreakdown) > 0:
		parts := b.ProjectBreakdown
		if len(parts) == 0 {
			parts = b.WorkspaceBreakdown
		}
		for _, id := range slices.Sorted(maps.Keys(parts)) {
			period.amounts = append(period.amounts, amount{subAccount: id, usd: parts[id]})
		}
	default:
		period.amounts = []amount{{usd: b.TotalUSD}}
	}
	return period
}

func billedTeam(b discovery.TeamCostBucket) (period billed, err error) {
	if period.start, err = time.Parse(time.RFC3339, b.StartTime); err != nil {
		return billed{}, invalid("StartTime", b.StartTime, "must be an RFC 3339 time")
	}
	if period.end, err = time.Parse(time.RFC3339, b.EndTime); err != nil {
		return billed{}, invalid("EndTime", b.EndTime, "must be an RFC 3339 time")
	}
	for _, item := range b.LineItems {
		period.amounts = append(period.amounts, amount{item: item.Description, usd: item.USD})
	}
	if len(b.LineItems) == 0 {
		period.amounts = []amount{{usd: b.TotalUSD}}
	}
	slices.SortStableFunc(period.amounts, func(a, b amount) int { return cmp.Compare(a.item, b.item) })
	return period, nil
}

// organization returns OpenAI's organization id, or "".
func organization(results []json.RawMessage) string {
	for _, result := range results {
		var r struct {
			OrganizationID string `json:"organization_id"`
		}
		if json.Unmarshal(result, &r) == nil && r.OrganizationID != "" {
			return r.OrganizationID
		}
	}
	return ""
}

// rows returns charges, then credits.
func (b billed) rows(p models.Provider) []row {
	var charges, credits []row
	for _, a := range b.amounts {
		usd, err := decimal.FromFloat(a.usd)
		if err != nil || usd.Sign() == 0 {
			continue
		}
		r := newRow(p, b.account, b.start, b.end)
		r["x_CostSource"] = "billed"
		r["SubAccountId"], r["SubAccountName"] = a.subAccount, a.subAccount
		r["ChargeDescription"] = cmp.Or(a.item, namesOf(p).company+" API")
		r.setCost(decimal.Text(usd))
		if usd.Sign() < 0 {
			r["ChargeCategory"], r["ChargeFrequency"] = "Credit", "One-Time"
			credits = append(credits, r)
			continue
		}
		r["ChargeCategory"], r["ChargeFrequency"] = "Usage", "Usage-Based"
		r["SkuId"], r["SkuMeter"] = cmp.Or(a.item, "all"), "Billed Cost"
		r["SkuPriceId"] = r["SkuId"]
		if named, ok := models.ProviderOf(a.item); ok && named == p && !strings.ContainsAny(a.item, " ,") {
			r["x_Model"] = a.item
		}
		r.setConsumed(decimal.Text(usd), "USD")
		r.setPrice("Other", "1", decimal.Text(usd), "USD")
		r.setQuantity(usd, a.quantity)
		charges = append(charges, r)
	}
	return append(charges, credits...)
}

func invalid(field, value, reason string) error { return argument.New("focus", field, value, reason) }
