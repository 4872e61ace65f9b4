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
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Call is a call whose cost [List.CostOf] computes.
type Call struct {
	// Provider is the provider that billed the call, or with a Platform the developer of the model, whose list the model is in. It may be
	// "" with a Platform, and it may be a name of rows of [List.With].
	Provider models.Provider
	// Model is the id of the model, preferably as it is in the response.
	Model string
	// Usage is what the call used; see [ParseUsage].
	Usage Usage
	// At is the time of the call, which selects the period of the price. It must not be zero.
	At time.Time
	// Platform is who billed the call if it was not the provider itself.
	Platform Platform
	// Region is the location of the host or of the path, as in "us-east-1"; for Azure the kind of the deployment: "global", "data-zone"
	// or "regional". Profile is the prefix of Bedrock's id, such as "us", "eu" or "global".
	Region, Profile string
	// Mode replaces Usage.Mode unless it is "": "batch", "flex", "priority", "fast", or a region such as "us". Use "standard"
	// if Usage.Mode is wrong for a standard call.
	Mode string
}

// Cost is the cost of one call.
type Cost struct {
	Provider models.Provider `json:"provider"`
	// Platform is the platform of the call; "" is the provider's own API.
	Platform Platform `json:"platform,omitempty"`
	// Model is the id of the call.
	Model string `json:"model"`
	// USD is the cost in US dollars as a plain decimal such as "0.0345", not rounded.
	USD USD `json:"usd"`
	// Lines has one line for each kind of token and each tool that was used, except free tools. Their sum is the cost. The slice is never nil.
	Lines []Line `json:"lines"`
	// Source is the source of the prices: the Source of the row, or "charged by the provider".
	Source string `json:"source"`
	// SourceKey is a short form of Source for records, of which [SourceText] returns Source.
	SourceKey string `json:"-"`
	// VerifiedAt is when Source was read, as a date or an RFC 3339 time; nil if unknown, or if the provider stated the charge.
	VerifiedAt *string `json:"verified_at"`
	// TierThresholdTokens is the threshold of the row that priced the call: the length of the shortest prompt that it applies to.
	TierThresholdTokens int64 `json:"tier_threshold_tokens"`
	// Mode is the mode that the prices are for: "standard", "batch", "fast+us", or for DeepSeek "peak" or "off-peak". It is "" if
	// the provider stated the charge.
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

// Line is the cost of one kind of token, or of the uses of one tool.
type Line struct {
	// What is a kind of token: "input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output", or
	// "audio_input", "audio_cache_read", "audio_output", "image_input", "image_cache_read", "image_output", "video_input" and "video_cache_read". It is the name
	// of the tool in a line of Requests, and "charged" in the only line of a cost that the provider stated itself.
	What   string `json:"what"`
	Tokens int64  `json:"tokens"`
	// USDPerMTok is the price per million tokens, including factors, such as the factor of a batch. It is "" if the line is not for
	// tokens.
	USDPerMTok USD `json:"usd_per_mtok"`
	// USD is the cost of the line in US dollars as a plain decimal, not rounded.
	USD USD `json:"usd"`
	// Model is the id of an advisor ([Usage].Iterations), whose tokens have a price of their own; "" in other lines.
	Model string `json:"model,omitempty"`
	// Requests is the number of billed uses of a tool, and USDPerRequest the fee of each; 0 and "" in other lines.
	Requests      int64 `json:"requests,omitempty"`
	USDPerRequest USD   `json:"usd_per_request,omitempty"`
}

// The Source and SourceKey of a cost that the provider stated itself.
const (
	sourceCharged = "charged by the provider"
	keyCharged    = "charged"
)

// SourceText returns the Source of a cost with a SourceKey. Any other text is returned as it is.
func SourceText(provider models.Provider, key string) string {
	if key == keyCharged {
		return sourceCharged
	}
	return pricelist.Describe(string(provider), key)
}

// GuaranteedThrough returns the last day, YYYY-MM-DD, on which a promotional price is guaranteed,
// from the Source of its row or cost. It returns "" for any other price. Afterwards the provider may
// end the price on any day, and calls are still priced by it.
func GuaranteedThrough(source string) string { return pricelist.Guaranteed(source) }

// CostOf returns the exact cost of a call, at the prices of its time. It sends nothing. A zero Usage costs 0: price the Usage of a
// [Response] only if the response is Complete.
//
// If the provider stated its charge (Usage.ChargedUSD), that is the cost, even if the counts or the model are not known; a charge of 0
// beside tokens or unknown counts is ignored, except on OpenRouter, where models may be free. Otherwise one row
// of [List.ForModel] prices the text: first your own rows, then live ones, then the table. The time of the call selects the
// period of the row, and the length of the whole prompt its tier. Audio and images have rows of their own. Each use of a tool
// costs its fee ([List.Fees]).
//
// A mode such as batch multiplies the prices of tokens by a factor, if one is documented for the model, and so does a region that
// the id names, as us.anthropic.claude-opus-5 does. Of several modes only fast and us of Anthropic multiply each other. Fees
// are not multiplied, and rows of [List.With] are used unchanged.
//
// On a platform, a row of [List.With] whose Provider is the name of the platform comes first. A row of the table is multiplied by the
// factor of the platform, the region and the profile; without one the call has no known cost. Modes and fees of the developer's own
// API do not hold there.
//
// DeepSeek's price is the price at that hour; see [ModePeak]. Cache storage and free allowances are not included; docs/providers.md
// has the list of what a cost cannot contain.
//
// If a price is not known, the error is an [*UnpricedError], which matches [ErrUnpriced] and names what is missing. An unknown
// provider, an empty model without a charge, a zero time, a count that is negative or above 2^53, and a charge that is not a decimal are a
// [*ValueError].
func (l *List) CostOf(call Call) (Cost, error) { return l.price(&call, true) }

// USDOf returns only the amount of [List.CostOf], which is faster.
func (l *List) USDOf(call Call) (USD, error) {
	cost, err := l.price(&call, false)
	return cost.USD, err
}

// BriefCostOf returns the cost without Lines, Source and VerifiedAt, which is faster than [List.CostOf].
func (l *List) BriefCostOf(call Call) (Cost, error) { return l.price(&call, false) }

// price returns the cost of a call, without lines briefly.
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
		return "", invalid("At", "", "must not be zero: a price has a day")
	}
	return p, c.Usage.check()
}

// charge returns what the call of a provider is charged by its prices, or with an *UnpricedError the part of it that is known.
func (l *List) charge(p models.Provider, call *Call) (pricelist.Charge, error) {
	if strings.TrimSpace(call.Model) == "" {
		return pricelist.Charge{}, invalid("Model", "", "must not be empty")
	}
	mode, rest := usage.Split(usage.Mode(call.Mode, call.Usage.Mode))
	rest = slices.DeleteFunc(rest, func(part string) bool { // all of the prompt has one price
		return part == usage.CachedImages && l.chargedBy().Textual(string(p), "image", call.Model)
	})
	billed := pricelist.Call{
		Provider: string(p), Model: call.Model, Mode: mode, At: call.At, Usage: usage.Usage(call.Usage), Terms: l.chargedBy(),
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

// missingOf returns what is not known of a call by the parts of its mode that no price has.
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

// chargeByRows returns a *pricelist.UnknownError if the cost is not known.
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

// charged returns the cost of a call whose charge the provider stated.
func (cost Cost) charged(u *Usage) (Cost, error) {
	usd, ok := decimal.ParsePlain(u.ChargedUSD)
	if !ok {
		return Cost{}, invalid("Usage.ChargedUSD", "", "must be a decimal such as 0.0345")
	}
	cost.USD, cost.Source, cost.SourceKey = USD(usd.String()), sourceCharged, keyCharged
	cost.Lines = []Line{{What: "charged", Tokens: u.sum(), USD: cost.USD}}
	return cost, nil
}

// ErrUnpriced matches, with errors.Is, the error of a call whose cost is not known.
var ErrUnpriced = errors.New("prices: the cost is not known")

// UnpricedError is the error of a call whose cost is not known. It names what has no known price. The call itself is valid.
type UnpricedError struct {
	Provider models.Provider
	// Model is the id of the call.
	Model string
	// What is what has no known price. More values can be added.
	What Missing
	// Name is the name of the mode, the tool or the count; "" otherwise.
	Name string
	// BoundUSD is what the call costs at least: the tokens and fees whose prices are known. It is "" if there are none, and in an unknown
	// mode, which may be cheaper.
	BoundUSD USD

	noKind bool // the Region of a call on Azure was empty
}

// Missing is what has no known price, in an [UnpricedError].
type Missing string

// The values of [UnpricedError].What.
const (
	// MissingModel means that the list has no price of the model.
	MissingModel Missing = "model"
	// MissingPeriod means that the model has prices, but none at the time of the call.
	MissingPeriod Missing = "period"
	// MissingTier means that the model has no known price for a prompt of this length.
	MissingTier Missing = "tier"
	// MissingMode means that the model has no known price in the mode, whose name is in Name.
	MissingMode Missing = "mode"
	// MissingPlatform means that no price on the platform of the call is known.
	MissingPlatform Missing = "platform"
	// MissingRegion means that the price in the region or with the profile of the call, or on the platform or in the region that the id
	// names, is not known.
	MissingRegion Missing = "region"
	// MissingTool means that the fee for a use of the tool in Name is not known.
	MissingTool Missing = "tool"
	// MissingDuration means that the call is billed by duration, which a usage does not have.
	MissingDuration Missing = "duration"
	// MissingCount means that the usage has a count that is not known, whose name is in Name.
	MissingCount Missing = "count"
	// MissingInput, MissingCacheRead, MissingCacheWrite5m, MissingCacheWrite1h and MissingOutput mean that the model has no known
	// price of this kind of token.
	MissingInput        Missing = "input"
	MissingCacheRead    Missing = "cache_read"
	MissingCacheWrite5m Missing = "cache_write_5m"
	MissingCacheWrite1h Missing = "cache_write_1h"
	MissingOutput       Missing = "output"
	// MissingAudio, MissingImage and MissingVideo mean that the model has no known price of audio, images or videos.
	MissingAudio Missing = "audio"
	MissingImage Missing = "image"
	MissingVideo Missing = "video"
)

// newUnpricedError returns the error of a call, whose names may be keys that were pasted into the wrong place.
func newUnpricedError(p models.Provider, call *Call, what Missing, name string) *UnpricedError {
	return &UnpricedError{
		Provider: models.Provider(argument.Redact(string(p))), Model: argument.Redact(call.Model), What: what, Name: argument.Redact(name),
		noKind: call.Platform == PlatformAzure && call.Region == "",
	}
}

func (e *UnpricedError) Error() string {
	model := "the model"
	if name := argument.Shown(e.Model); name != "" { // a longer one could be a key that was pasted into the wrong place
		model = name
	}
	what := string(e.What)
	if name := argument.Shown(e.Name); name != "" {
		what += " " + name
	}
	return fmt.Sprintf("%v: %s: %s %s", ErrUnpriced, what, model, e.reason())
}

func (e *UnpricedError) reason() string {
	switch e.What {
	case MissingModel:
		return "has no price in the list"
	case MissingPeriod:
		return "has no known price at this time"
	case MissingTier:
		return "has no known price for a prompt of this length"
	case MissingMode:
		return "has no known price in this mode"
	case MissingRegion:
		if e.noKind {
			return "has no known price without the kind of its deployment on Azure, which must be configured as global, data-zone or regional"
		}
		return "has no known price on this platform or in this region"
	case MissingPlatform:
		return "has no known price on this platform"
	case MissingTool:
		return "has no known fee for a use of this tool"
	case MissingDuration:
		return "is billed by duration"
	case MissingCount:
		return "has no known price for this count"
	default:
		return "has no known price of " + string(e.What)
	}
}

// Is reports whether target is [ErrUnpriced].
func (e *UnpricedError) Is(target error) bool { return target == ErrUnpriced }
