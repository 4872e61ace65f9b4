package prices

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Call describes one call for [List.CostOf].
type Call struct {
	// Provider billed the call: one of the five, or a name in your [List.With] rows. If a
	// Platform billed it, Provider is the model's developer, or "" if that isn't one of the
	// five.
	Provider models.Provider
	// Model is the model id, preferably the one in the response.
	Model string
	// Usage has the call's counts; see [ParseUsage].
	Usage Usage
	// At is the time of the call, which selects the price period. It must not be zero.
	At time.Time
	// Platform billed the call, if the provider itself didn't.
	Platform Platform
	// Region is the location in the host or path, such as "us-east-1". On Azure it is the
	// deployment kind: "global", "data-zone" or "regional". Profile is the prefix in a
	// Bedrock id, such as "us", "eu" or "global".
	Region, Profile string
	// Mode replaces Usage.Mode unless it is "": "batch", "flex", "priority", "fast", or a
	// region such as "us". Use "standard" if Usage.Mode is wrong for a standard call.
	Mode string
}

// Cost is the cost of one call.
type Cost struct {
	Provider models.Provider `json:"provider"`
	// Platform is the call's platform; "" is the provider's own API.
	Platform Platform `json:"platform,omitempty"`
	// Model is the call's model id.
	Model string `json:"model"`
	// USD is the cost in US dollars as a plain decimal such as "0.0345", not rounded.
	USD USD `json:"usd"`
	// Lines has one line per token kind and per tool used, except free tools. They add up
	// to USD. A cost from [List.CostOf] never has nil Lines.
	Lines []Line `json:"lines"`
	// Source names the price source: the row's Source, or "charged by the provider".
	Source string `json:"source"`
	// SourceKey is a short key for Source, to store with each call. [SourceText] turns it
	// back into Source.
	SourceKey string `json:"-"`
	// VerifiedAt is when Source was read, as a date or an RFC 3339 time. It is nil if
	// unknown, or if the provider stated the charge.
	VerifiedAt *string `json:"verified_at"`
	// TierThresholdTokens is the shortest prompt to which the row used applies.
	TierThresholdTokens int64 `json:"tier_threshold_tokens"`
	// Mode is the priced mode: "standard", "batch", "fast+us", or for DeepSeek "peak" or
	// "off-peak". It is "" if the provider stated the charge.
	Mode string `json:"mode"`
}

// String returns the amount with its currency, such as "0.0345 USD".
func (cost Cost) String() string { return fmt.Sprintf("%s USD", cmp.Or(cost.USD, "?")) }

// Float64 returns the nearest float64 to USD.
func (cost Cost) Float64() float64 { return cost.USD.Float64() }

// MarshalJSON writes empty lines as [], never null.
func (cost Cost) MarshalJSON() ([]byte, error) {
	type plain Cost
	if cost.Lines == nil {
		cost.Lines = []Line{}
	}
	return json.Marshal(plain(cost))
}

// Line is the cost for one token kind or one tool.
type Line struct {
	// Kind is a token kind, a tool name if ToolUses is set, or "charged" if the provider
	// stated the cost. Token kinds are:
	//
	//	input  tool_input  cache_read  cache_write_5m  cache_write_1h  output
	//	audio_input  audio_cache_read  audio_output
	//	image_input  image_cache_read  image_output
	//	video_input  video_cache_read
	Kind   string `json:"what"`
	Tokens int64  `json:"tokens"`
	// USDPerMTok is the price per million tokens, after factors such as the batch
	// discount. It is "" if the line isn't for tokens.
	USDPerMTok USD `json:"usd_per_mtok"`
	// USD is the line's cost in US dollars as a plain decimal, not rounded.
	USD USD `json:"usd"`
	// Model is an advisor's id (see [Usage].Iterations); "" in other lines. An advisor's
	// tokens have separate prices.
	Model string `json:"model,omitempty"`
	// ToolUses counts billed tool uses at USDPerUse each; 0 and "" in other lines.
	ToolUses  int64 `json:"requests,omitempty"`
	USDPerUse USD   `json:"usd_per_request,omitempty"`
}

// For costs that the provider stated itself.
const (
	sourceCharged = "charged by the provider"
	keyCharged    = "charged"
)

// SourceText returns the Source for a stored [Cost].SourceKey, to show where a recorded
// call's price is from. It returns any other string unchanged.
func SourceText(provider models.Provider, key string) string {
	if key == keyCharged {
		return sourceCharged
	}
	return pricelist.Describe(string(provider), key)
}

// GuaranteedThrough returns the last day, YYYY-MM-DD, on which a promotional price is
// guaranteed. source is the Source of its row or cost. For any other price it returns
// "".
//
// Afterwards the provider may end the price on any day, but CostOf keeps using it.
func GuaranteedThrough(source string) string { return pricelist.Guaranteed(source) }

// CostOf returns the exact cost of a call at the prices in force at call.At. It sends
// nothing. A zero Usage costs 0: price a [Response] only if it is Complete.
//
// If a price is unknown, the error is an [*UnpricedError], which matches [ErrUnpriced]
// and names what is missing.
//
// # Charges
//
// If the provider stated a charge (Usage.ChargedUSD), the charge is the cost, even if
// counts or the model are unknown. A charge of 0 with tokens or unknown counts is
// ignored, except on OpenRouter, where models may be free.
//
// # Prices
//
// Otherwise a row from [List.ForModel] prices the text: your own rows come first, then
// live ones, then the table. The time selects the row's period, and the length of the
// whole prompt its tier. Audio and images have their own rows. Each tool use costs its
// fee ([List.Fees]). DeepSeek's price depends on the hour; see [ModePeak].
//
// # Factors
//
// A mode such as batch multiplies token prices by a factor, if one is documented for
// the model. So does a region that the id names, as in us.anthropic.claude-opus-5. Only
// Anthropic's fast and us multiply each other. Factors don't apply to fees or to
// [List.With] rows.
//
// # Platforms
//
// On a platform, a [List.With] row whose Provider is the platform's name comes first. A
// row from the table needs a factor for the platform, region and profile; otherwise the
// cost is unknown. The developer's own modes and fees don't apply. A stated charge counts
// only on OpenRouter: elsewhere it is the developer's own price.
//
// # Not included
//
// Cache storage and free allowances aren't included. docs/providers.md lists what else
// a cost can't contain.
//
// # Invalid calls
//
// The error is a [*ValueError] for an unknown provider, a zero time, an empty model
// without a charge, a count that is negative or above 2^53, and a charge that isn't a
// decimal.
func (l *List) CostOf(call Call) (Cost, error) { return l.price(&call, true) }

// USDOf returns only the amount from [List.CostOf], which is faster.
func (l *List) USDOf(call Call) (USD, error) {
	cost, err := l.price(&call, false)
	return cost.USD, err
}

// BriefCostOf returns the cost without Lines, Source and VerifiedAt. Use it to record
// calls while they are made: it is faster than [List.CostOf], and SourceKey stands for
// Source in records.
func (l *List) BriefCostOf(call Call) (Cost, error) { return l.price(&call, false) }

func (l *List) price(call *Call, lines bool) (Cost, error) {
	p, err := call.check()
	if err != nil {
		return Cost{}, err
	}
	cost := Cost{Provider: p, Platform: call.Platform, Model: call.Model}
	if call.Usage.ChargedUSD != "" && call.Platform.charges() {
		charged, err := cost.charged(&call.Usage)
		unused := call.Usage.sum() == 0 && !strings.Contains(call.Usage.Mode, "count:")
		if err != nil || call.Platform != "" || charged.USD != "0" || unused {
			return charged, err
		}
	}
	b := bill{cost: cost, lines: lines}
	if len(call.Usage.Iterations) > 0 {
		b.addEach(l, p, call)
		return b.total()
	}
	charge, err := l.charge(p, call)
	b.add(&charge, err, "")
	return b.total()
}

func (c *Call) check() (models.Provider, error) {
	var p models.Provider
	var err error
	if c.Provider != "" || c.Platform == "" {
		p, err = providerName(c.Provider, "Provider")
	}
	switch {
	case err != nil:
		return "", err
	case c.At.IsZero():
		return "", invalid("At", "", "must not be zero: prices change over time")
	}
	return p, c.Usage.check()
}

// charge returns the known part even if the error is an *UnpricedError.
func (l *List) charge(p models.Provider, call *Call) (pricelist.Charge, error) {
	if strings.TrimSpace(call.Model) == "" {
		return pricelist.Charge{}, invalid("Model", "", "must not be empty")
	}
	mode, rest := usage.Split(usage.Mode(call.Mode, call.Usage.Mode))
	rest = slices.DeleteFunc(rest, func(part string) bool { // all of the prompt has one price
		return part == usage.CachedImages && l.chargedBy().Textual(string(p), "image", call.Model)
	})
	billed := pricelist.Call{
		Provider: string(p), Model: call.Model, Mode: mode, At: call.At, Usage: usage.As[string]((*usage.Typed[USD])(&call.Usage)), Terms: l.chargedBy(),
		Place: call.place(),
	}
	charge, err := l.chargeByRows(&billed)
	switch {
	case len(rest) > 0:
		what, name := missingOf(rest)
		return charge, newUnpricedError(p, call, what, name)
	case err != nil: // errors.As allocates
		var unknown *pricelist.UnknownError
		errors.As(err, &unknown)
		return charge, newUnpricedError(p, call, Missing(unknown.What), unknown.Name)
	}
	return charge, nil
}

// missingOf names what is missing: the price by duration, the first unknown count, or
// else all unpriced modes.
func missingOf(parts []string) (what Missing, name string) {
	for _, part := range parts {
		switch count, isCount := strings.CutPrefix(part, "count:"); {
		case count == "seconds":
			return MissingDuration, ""
		case isCount && name == "":
			what, name = MissingCount, count
		}
	}
	if name == "" {
		return MissingMode, strings.Join(parts, "+")
	}
	return what, name
}

// If the cost is unknown, the error is a *pricelist.UnknownError.
func (l *List) chargeByRows(call *pricelist.Call) (pricelist.Charge, error) {
	found := l.find(models.Provider(call.Provider), call.Model)
	if rows := l.own.list.Model(call.Platform, call.Model); rows != nil {
		found.own = rows
	}
	rows, own := found.inForce(call.At, call.Usage.Prompt())
	if own {
		return call.ByOwn(rows)
	}
	return call.ByList(rows, found.listed)
}

// charged returns the charge that the provider stated as the cost.
func (cost Cost) charged(u *Usage) (Cost, error) {
	usd, ok := decimal.ParsePlain(u.ChargedUSD)
	if !ok {
		return Cost{}, invalid("Usage.ChargedUSD", "", "must be a decimal such as 0.0345")
	}
	cost.USD, cost.Source, cost.SourceKey = USD(usd.String()), sourceCharged, keyCharged
	cost.Lines = []Line{{Kind: "charged", Tokens: u.sum(), USD: cost.USD}}
	return cost, nil
}
