package focus

import (
	"cmp"
	"encoding/csv"
	"io"
	"iter"
	"math/big"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// header has FOCUS columns alphabetically, then ours.
const header = "BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeClass," +
	"ChargeDescription,ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,ConsumedQuantity,ConsumedUnit,ContractedCost,ContractedUnitPrice," +
	"EffectiveCost,InvoiceIssuerName,ListCost,ListUnitPrice,PricingCategory,PricingQuantity,PricingUnit,ProviderName,PublisherName,RegionId," +
	"ServiceCategory,ServiceName,ServiceSubcategory,SkuId,SkuMeter,SkuPriceDetails,SkuPriceId,SubAccountId,SubAccountName,Tags,x_CallCount," +
	"x_CostSource,x_Mode,x_Model,x_PriceSource,x_Provider,x_TokenType"

// row maps columns to values. A missing value is null, an empty cell.
type row map[string]string

// newRow fills columns that calls and bills share. account must not be null; "" becomes
// "default".
func newRow(p models.Provider, account string, start, end time.Time) row {
	if account == "" {
		account = "default"
	}
	n := namesOf(p)
	start = start.UTC()
	month := time.Date(start.Year(), start.Month(), 1, 0, 0, 0, 0, time.UTC)
	return row{
		"BillingAccountId": account, "BillingCurrency": "USD",
		"BillingPeriodStart": timeText(month), "BillingPeriodEnd": timeText(month.AddDate(0, 1, 0)),
		"ChargePeriodStart": timeText(start), "ChargePeriodEnd": timeText(end),
		"InvoiceIssuerName": n.company, "ProviderName": n.company, "PublisherName": n.company,
		"ServiceCategory": "AI and Machine Learning", "ServiceName": n.service, "ServiceSubcategory": "Generative AI",
		"x_Provider": string(p),
	}
}

// setCost sets all costs to the same amount: we know no discounts or prepayments.
func (r row) setCost(usd string) {
	for _, column := range [...]string{"BilledCost", "EffectiveCost", "ListCost", "ContractedCost"} {
		r[column] = usd
	}
}

func (r row) setPrice(category, price, quantity, unit string) {
	r["PricingCategory"], r["ListUnitPrice"], r["ContractedUnitPrice"] = category, price, price
	r["PricingQuantity"], r["PricingUnit"] = quantity, unit
}

func (r row) setConsumed(quantity, unit string) {
	r["ConsumedQuantity"], r["ConsumedUnit"] = quantity, unit
}

// names are a provider's names as used on invoices.
type names struct{ company, service string }

var knownNames = map[string]names{
	string(models.OpenAI):    {"OpenAI", "OpenAI API"},
	string(models.Anthropic): {"Anthropic", "Claude API"},
	string(models.Gemini):    {"Google", "Gemini API"},
	string(models.DeepSeek):  {"DeepSeek", "DeepSeek API"},
	string(models.XAI):       {"xAI", "xAI API"},

	string(prices.PlatformOpenRouter): {"OpenRouter", "OpenRouter API"},
	string(prices.PlatformBedrock):    {"AWS", "Amazon Bedrock"},
	string(prices.PlatformVertex):     {"Google Cloud", "Vertex AI"},
	string(prices.PlatformAzure):      {"Microsoft", "Azure AI Foundry"},
}

func namesOf[N ~string](name N) names {
	if known, ok := knownNames[string(name)]; ok {
		return known
	}
	return names{string(name), strings.TrimSpace(string(name) + " API")}
}

// developer returns the company, or "" if it's unknown.
func developer(p models.Provider) string {
	if _, err := models.ParseProvider(string(p)); err != nil { // "" or a host name
		return ""
	}
	return namesOf(p).company
}

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func write(w io.Writer, rows iter.Seq[row]) error {
	if w == nil {
		return invalid("w", "", "must not be nil")
	}
	out := csv.NewWriter(w)
	columns := strings.Split(header, ",")
	_ = out.Write(columns) // Flush returns the error again
	cells := make([]string, len(columns))
	for r := range rows {
		for i, column := range columns {
			cells[i] = output.Escape(r[column])
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// place is the platform that bills a call, and its price selectors. It's zero for a
// provider's own API.
type place struct {
	platform        prices.Platform
	region, profile string
}

func placeOf(r calls.Record) place {
	return place{prices.Platform(r.Platform), r.Region, r.Profile}
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.platform, other.platform), cmp.Compare(p.region, other.region), cmp.Compare(p.profile, other.profile))
}

// sku returns a prefix for SKU ids, since a platform sells models under different SKUs
// than their developer.
func (p place) sku() string {
	if p.platform == "" {
		return ""
	}
	return string(p.platform) + "/"
}

// price returns a suffix for price ids: the profile, which selects the price on Bedrock,
// or else the region.
func (p place) price() string {
	if by := cmp.Or(p.profile, p.region); by != "" {
		return "/" + by
	}
	return ""
}

// If a platform bills the call, fill names it in the row. The publisher is the model's
// developer, if known. Charges from providers behind OpenRouter are on another invoice.
func (p place) fill(r row, provider models.Provider) {
	if p.platform == "" {
		return
	}
	n := namesOf(p.platform)
	r["InvoiceIssuerName"], r["ProviderName"], r["ServiceName"] = n.company, n.company, n.service
	r["PublisherName"] = cmp.Or(developer(provider), n.company)
	if p.platform != prices.PlatformAzure { // there it's the deployment type
		r["RegionId"] = p.region
	}
}

// unit maps a provider's unit to FOCUS.
type unit struct {
	consumed string
	// each is the number of consumed units per provider unit; size is the number of
	// consumed units per price.
	each, size int64
	priced     string
}

// units that FOCUS allows.
var units = map[string]unit{
	"tokens":           {"Tokens", 1, 1_000_000, "1000000 Tokens"},
	"1000_tokens":      {"Tokens", 1_000, 1_000_000, "1000000 Tokens"},
	"duration_seconds": {"Seconds", 1, 1, "Seconds"},
	"duration_minutes": {"Minutes", 1, 1, "Minutes"},
	"duration_hours":   {"Hours", 1, 1, "Hours"},
	"gibibyte_hours":   {"GiB-Hours", 1, 1, "GiB-Hours"},
	"images":           {"Images", 1, 1, "Images"},
	"characters":       {"Characters", 1, 1_000_000, "1000000 Characters"},
}

// setQuantity sets the quantity if it's known. Price times quantity must be the exact
// cost, so if the amount was rounded (the price isn't a decimal), the price stays in
// dollars.
func (r row) setQuantity(usd *big.Rat, q discovery.Quantity) {
	u, ok := units[q.Unit]
	used, plain := decimal.ParsePlain(q.Amount)
	if !ok || !plain || used.IsZero() {
		return
	}
	used = used.Mul(decimal.New(u.each, 0))
	r.setConsumed(used.String(), u.consumed)
	priced := new(big.Rat).Quo(used.Rat(), big.NewRat(u.size, 1))
	if price := new(big.Rat).Quo(usd, priced); isDecimal(price) {
		r.setPrice("Other", decimal.Text(price), decimal.Text(priced), u.priced)
	}
}

// isDecimal reports whether r is exact with twelve places, like list prices.
func isDecimal(r *big.Rat) bool {
	const places = 12
	rounded, ok := new(big.Rat).SetString(r.FloatString(places))
	return ok && rounded.Cmp(r) == 0
}
