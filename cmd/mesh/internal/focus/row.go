package focus

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
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
