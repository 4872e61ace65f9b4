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

// key is what the calls of a row have in common.
type key struct {
	day                       int64 // since 1970, in UTC
	place                     place
	provider                  models.Provider
	model, mode, tags, source string
	// billing is not "" for calls that are not charged.
	billing string
	// what is the kind of token or request.
	what string
	// price is that of a million tokens, or of a request if fee is set. It is "" for a charge in dollars.
	price prices.USD
	fee   bool
	// tier is the length of the shortest prompt that the price applies to; 0 for all.
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

// rank returns the place of a kind in the order of the rows. The kinds that are not named are last, by name.
func rank(what string) int {
	kinds := []string{"input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output"}
	if i := slices.Index(kinds, what); i >= 0 {
		return i
	}
	return len(kinds)
}

// group is the sum of the calls of a row: their tokens or requests, or their charges.
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

// setCost sets the costs. Nothing is billed for calls of a subscription, which have their list price only.
func (g *group) setCost(r row, usd string) {
	r.setCost(usd)
	if g.billing != "" {
		r["BilledCost"], r["EffectiveCost"] = "0", "0"
	}
}

// priceDetails are the SkuPriceDetails. The names without x_ are those of FOCUS 1.5; names that 1.2 does not have begin with x_.
type priceDetails struct {
	ContextTier    int64  `json:"x_ContextTier,omitempty"`
	ModelDeveloper string `json:"x_ModelDeveloper,omitempty"`
	ModelID        string `json:"x_ModelId,omitempty"` //nolint:tagliatelle // the name in FOCUS
	ServiceTier    string `json:"x_ServiceTier,omitempty"`
	TokenType      string `json:"x_TokenType,omitempty"`
}

// meterName returns the name of a kind for people.
func meterName(what string, fee bool) string {
	switch what {
	case charged:
		return "Charged Cost"
	case "cache_read":
		return "Cached Input Tokens"
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

// tags returns labels as a JSON object with sorted keys, "" for none. As FOCUS requires, a label without a value is true.
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

// jsonText returns the JSON of a value that has one, without the escapes for HTML.
func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}
