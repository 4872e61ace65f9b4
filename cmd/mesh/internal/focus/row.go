package focus

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math/big"
	"strings"
	"time"
	"unicode"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// header has the columns of FOCUS in the order of the alphabet, then those of this package.
const header = "BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeClass," +
	"ChargeDescription,ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,ConsumedQuantity,ConsumedUnit,ContractedCost,ContractedUnitPrice," +
	"EffectiveCost,InvoiceIssuerName,ListCost,ListUnitPrice,PricingCategory,PricingQuantity,PricingUnit,ProviderName,PublisherName,RegionId," +
	"ServiceCategory,ServiceName,ServiceSubcategory,SkuId,SkuMeter,SkuPriceDetails,SkuPriceId,SubAccountId,SubAccountName,Tags,x_CallCount," +
	"x_CostSource,x_Mode,x_Model,x_PriceSource,x_Provider,x_TokenType"

// row is a row of the file, by column. A column without a value is null, an empty cell.
type row map[string]string

// newRow returns a row with the columns that calls and bills have in common. account must not be null; "" becomes "default".
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

// setCost sets all costs. They are equal: no discounts or purchases in advance are known.
func (r row) setCost(usd string) {
	for _, column := range [...]string{"BilledCost", "EffectiveCost", "ListCost", "ContractedCost"} {
		r[column] = usd
	}
}

// setPrice sets the unit prices and what they are multiplied by.
func (r row) setPrice(category, price, quantity, unit string) {
	r["PricingCategory"], r["ListUnitPrice"], r["ContractedUnitPrice"] = category, price, price
	r["PricingQuantity"], r["PricingUnit"] = quantity, unit
}

func (r row) setConsumed(quantity, unit string) {
	r["ConsumedQuantity"], r["ConsumedUnit"] = quantity, unit
}

// names are those of a provider or a platform in an invoice.
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

// developer returns the name of the developer of a model; "" if it is not known.
func developer(p models.Provider) string {
	if _, err := models.ParseProvider(string(p)); err != nil { // "", or the name of a host
		return ""
	}
	return namesOf(p).company
}

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// write writes the header and the rows.
func write(w io.Writer, rows iter.Seq[row]) error {
	if w == nil {
		return invalid("w", "", "must not be nil")
	}
	out := csv.NewWriter(w)
	columns := strings.Split(header, ",")
	_ = out.Write(columns) // an error is that of Flush, too
	cells := make([]string, len(columns))
	for r := range rows {
		for i, column := range columns {
			cells[i] = escape(r[column])
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// escape returns a text that cannot control a terminal: control characters, line breaks and marks of the writing direction become
// \u and their number, as in JSON.
func escape(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r >= unicode.MaxASCII }) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if controls(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func controls(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// place is the platform that bills a call, and what selects its price there. It is zero for a provider's own API.
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

// sku is the start of the SKU: the models of a platform are other SKUs than those of their developer.
func (p place) sku() string {
	if p.platform == "" {
		return ""
	}
	return string(p.platform) + "/"
}

// price is the end of the id of a price. Bedrock's profile selects the price there, and the region elsewhere.
func (p place) price() string {
	if by := cmp.Or(p.profile, p.region); by != "" {
		return "/" + by
	}
	return ""
}

// fill sets the columns that name who bills the call. The publisher is the developer of the model, if it is known. What the provider
// behind OpenRouter bills to the owner of a key is on another invoice.
func (p place) fill(r row, provider models.Provider) {
	if p.platform == "" {
		return
	}
	n := namesOf(p.platform)
	r["InvoiceIssuerName"], r["ProviderName"], r["ServiceName"] = n.company, n.company, n.service
	r["PublisherName"] = cmp.Or(developer(provider), n.company)
	if p.platform != prices.PlatformAzure { // there it is the kind of the deployment
		r["RegionId"] = p.region
	}
}

// unit is a unit of a bill in the format of FOCUS.
type unit struct {
	consumed string
	// each is how many consumed units are one of the provider's, and size how many of them have a price.
	each, size int64
	priced     string
}

// units are the units of bills. Any other has no format that FOCUS allows.
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

// setQuantity sets what was used, if it is known. Price times quantity must be the cost, so a price that is no decimal stays that of a
// dollar: then an amount was rounded.
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

// isDecimal reports whether a number has an end in twelve places, as the prices of lists have.
func isDecimal(r *big.Rat) bool {
	const places = 12
	rounded, ok := new(big.Rat).SetString(r.FloatString(places))
	return ok && rounded.Cmp(r) == 0
}
