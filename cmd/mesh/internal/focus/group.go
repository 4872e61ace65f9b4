package focus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

type key struct {
	day                       int64 // UTC days since 1970
	place                     place
	provider                  models.Provider
	model, mode, tags, source string
	// set for calls that aren't charged
	billing string
	// token or request kind
	what string
	// per million tokens, or per request if fee is set; "" for a charge in dollars
	price prices.USD
	fee   bool
	// shortest prompt that the price applies to; 0 for all
	tier int64
}

func (g *group) compare(other *group) int {
	if order := cmp.Or(
		cmp.Compare(g.day, other.day), cmp.Compare(g.provider, other.provider), g.place.compare(other.place), cmp.Compare(g.model, other.model),
		cmp.Compare(g.mode, other.mode), cmp.Compare(rank(g.what), rank(other.what)), cmp.Compare(g.what, other.what),
	); order != 0 {
		return order
	}
	return cmp.Or(
		decimal.FromText(g.price).Cmp(decimal.FromText(other.price)), cmp.Compare(g.tags, other.tags), cmp.Compare(g.tier, other.tier),
		cmp.Compare(g.source, other.source), cmp.Compare(g.price, other.price), cmp.Compare(g.billing, other.billing),
	)
}

// rank orders the kinds in a call's rows. Other kinds come last, by name.
func rank(what string) int {
	kinds := []string{"input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output"}
	if i := slices.Index(kinds, what); i >= 0 {
		return i
	}
	return len(kinds)
}

// group sums a row's tokens, requests or charges.
type group struct {
	key
	calls         int64
	quantity, usd decimal.Sum
}

func (g *group) fill(r row) {
	r["ChargeCategory"], r["ChargeFrequency"] = "Usage", "Usage-Based"
	g.place.fill(r, g.provider)
	r["SkuId"], r["SkuMeter"] = g.place.sku()+g.model+"/"+g.what, meterName(g.what, g.fee)
	r["SkuPriceId"] = r["SkuId"] + "/" + cmp.Or(g.mode, prices.ModeStandard) + g.place.price()
	r["ChargeDescription"] = g.model + ": " + r["SkuMeter"]
	if g.mode != "" {
		r["ChargeDescription"] += ", " + g.mode
	}
	if g.tier > 0 {
		above := strconv.FormatInt(g.tier-1, 10)
		r["SkuPriceId"] += "/above-" + above
		r["ChargeDescription"] += ", prompts above " + above + " tokens"
	}
	r["SkuPriceDetails"] = jsonText(priceDetails{max(g.tier-1, 0), developer(g.provider), g.model, g.mode, g.what})
	r["Tags"] = g.tags
	r["x_CallCount"], r["x_CostSource"] = strconv.FormatInt(g.calls, 10), "metered"
	r["x_Mode"], r["x_Model"], r["x_PriceSource"], r["x_TokenType"] = g.mode, g.model, g.source, g.what
	g.fillCost(r)
}

func (g *group) fillCost(r row) {
	const million = 6 // places
	quantity, price := g.quantity.Total(), decimal.FromText(g.price)
	switch {
	case g.price == "":
		if g.source == chargedSource {
			r["x_CostSource"] = charged
		}
		usd := g.usd.Total().String()
		r.setConsumed(r["x_CallCount"], "Requests")
		r.setPrice("Other", "1", usd, "USD")
		g.setCost(r, usd)
		return
	case g.fee:
		r.setConsumed(quantity.String(), "Requests")
		r.setPrice("Standard", price.String(), quantity.String(), "Requests")
	default:
		r.setConsumed(quantity.String(), "Tokens")
		quantity = quantity.Shift(million)
		r.setPrice("Standard", price.String(), quantity.String(), "1000000 Tokens")
	}
	g.setCost(r, quantity.Mul(price).String())
}

// setCost bills nothing for subscription calls: only their list price is set.
func (g *group) setCost(r row, usd string) {
	r.setCost(usd)
	if g.billing != "" {
		r["BilledCost"], r["EffectiveCost"] = "0", "0"
	}
}

// priceDetails is SkuPriceDetails, with names from FOCUS 1.5. Version 1.2 requires the
// prefix x_.
type priceDetails struct {
	ContextTier    int64  `json:"x_ContextTier,omitempty"`
	ModelDeveloper string `json:"x_ModelDeveloper,omitempty"`
	ModelID        string `json:"x_ModelId,omitempty"` //nolint:tagliatelle // the name in FOCUS
	ServiceTier    string `json:"x_ServiceTier,omitempty"`
	TokenType      string `json:"x_TokenType,omitempty"`
}

// meterName names a kind for people.
func meterName(what string, fee bool) string {
	switch what {
	case charged:
		return "Charged Cost"
	case "cache_write_5m":
		return "Cache Write Tokens (5 Minutes)"
	case "cache_write_1h":
		return "Cache Write Tokens (1 Hour)"
	}
	words := strings.FieldsFunc(strings.ReplaceAll(what, "cache_read", "cached_input"), func(r rune) bool { return r == '_' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	unit := "Tokens"
	if fee {
		unit = "Requests"
	}
	return strings.Join(append(words, unit), " ")
}

// tags formats labels as a JSON object, sorted, or "". FOCUS requires true for labels
// without a value.
func tags(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	values := make(map[string]any, len(labels))
	for name, value := range labels {
		values[name] = value
		if value == "" {
			values[name] = true
		}
	}
	return jsonText(values)
}

// jsonText doesn't escape HTML.
func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}
