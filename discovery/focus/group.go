package focus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// key is what the calls of a row have in common.
type key struct {
	day               string
	provider          discovery.Provider
	model, mode, what string
	// price is that of a million tokens, or of a request if fee is set. It is "" for a charge in dollars.
	price string
	fee   bool
	// tier is the length of the shortest prompt that the price applies to; 0 for all.
	tier         int64
	tags, source string
}

func newKey(r meter.Record, what, source string) key {
	return key{
		day: r.Time.UTC().Format(time.DateOnly), provider: r.Provider, model: r.Model, mode: r.Mode, what: what,
		tags: tags(r.Labels), source: source,
	}
}

func (k key) compare(other key) int {
	return cmp.Or(
		cmp.Compare(k.day, other.day), cmp.Compare(k.provider, other.provider), cmp.Compare(k.model, other.model),
		cmp.Compare(k.mode, other.mode), cmp.Compare(place(k.what), place(other.what)), cmp.Compare(k.what, other.what),
		rat(k.price).Cmp(rat(other.price)), cmp.Compare(k.tags, other.tags), cmp.Compare(k.tier, other.tier),
		cmp.Compare(k.source, other.source), cmp.Compare(k.price, other.price),
	)
}

// place returns the place of a kind in the order of the rows. The kinds that are not named are last, by name.
func place(what string) int {
	kinds := []string{"input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output"}
	if i := slices.Index(kinds, what); i >= 0 {
		return i
	}
	return len(kinds)
}

// group is the sum of the calls of a row: their tokens or requests, or their charges.
type group struct {
	key
	calls    int64
	quantity big.Int
	usd      big.Rat
}

func (g *group) fill(r row) {
	r["ChargeCategory"], r["ChargeFrequency"] = "Usage", "Usage-Based"
	r["SkuId"], r["SkuMeter"] = g.model+"/"+g.what, meterName(g.what, g.fee)
	r["SkuPriceId"] = r["SkuId"] + "/" + cmp.Or(g.mode, discovery.ModeStandard)
	r["ChargeDescription"] = g.model + ": " + r["SkuMeter"]
	if g.mode != "" {
		r["ChargeDescription"] += ", " + g.mode
	}
	if g.tier > 0 {
		above := strconv.FormatInt(g.tier-1, 10)
		r["SkuPriceId"] += "/above-" + above
		r["ChargeDescription"] += ", prompts above " + above + " tokens"
	}
	r["SkuPriceDetails"] = jsonText(priceDetails{max(g.tier-1, 0), r["PublisherName"], g.model, g.mode, g.what})
	r["Tags"] = g.tags
	r["x_CallCount"], r["x_CostSource"] = strconv.FormatInt(g.calls, 10), "metered"
	r["x_Mode"], r["x_Model"], r["x_PriceSource"], r["x_TokenType"] = g.mode, g.model, g.source, g.what
	g.fillCost(r)
}

func (g *group) fillCost(r row) {
	quantity := new(big.Rat).SetInt(&g.quantity)
	switch {
	case g.price == "":
		if g.source == chargedSource {
			r["x_CostSource"] = charged
		}
		r.setConsumed(r["x_CallCount"], "Requests")
		r.setPrice("Other", "1", decimal.Text(&g.usd), "USD")
		r.setCost(&g.usd)
		return
	case g.fee:
		r.setConsumed(decimal.Text(quantity), "Requests")
		r.setPrice("Standard", decimal.Text(rat(g.price)), decimal.Text(quantity), "Requests")
	default:
		r.setConsumed(decimal.Text(quantity), "Tokens")
		quantity.Quo(quantity, big.NewRat(1_000_000, 1))
		r.setPrice("Standard", decimal.Text(rat(g.price)), decimal.Text(quantity), "1000000 Tokens")
	}
	r.setCost(quantity.Mul(quantity, rat(g.price)))
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

// tags returns labels as a JSON object with sorted keys. As FOCUS requires, a label without a value is true.
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
