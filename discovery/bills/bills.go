// Package bills compares what a provider billed with the calls that were counted, by UTC day and model, and splits each difference into
// effects: amounts by cause, which add up to the difference exactly. It sends no request.
//
// The billed price of a kind of token is the billed amount divided by the billed tokens. Without quantities it is the ratio of the billed
// amount and the counted tokens that several days share. Billed less counted tokens at that price is an effect of calls, the counted
// tokens at that price less their counted cost is [AnotherPrice], and billed less counted fees are [Fees]. No price list is used. What
// amounts alone do not show is [AmountDiffers].
package bills

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// DefaultLimitPercent is the limit of a Bill whose LimitPercent is 0.
const DefaultLimitPercent = 2

// Bill is what a provider billed from From to To, which is exclusive.
type Bill struct {
	Provider models.Provider
	From, To time.Time
	Items    []Item
	// LimitPercent is the largest difference of [Comparison].Within, in percent of the bill; 0 is [DefaultLimitPercent]. The smallest
	// float64 above 0 allows no difference.
	LimitPercent float64
}

// Item is a line item of a UTC day.
type Item struct {
	// Day is the UTC day, such as "2026-11-21". A bucket of several days is one, under its first day.
	Day string
	// Name is the provider's name of the item, and Model the model as in the calls; "" if the item names none.
	Name, Model string
	// Kind is the kind of token as in [prices.Line].What, KindTokens or KindFee; "" is KindTokens.
	Kind string
	// USD is a plain decimal. It is negative for a credit or a refund.
	USD prices.USD
	// Tokens are the billed tokens; nil if the bill does not state them.
	Tokens *int64
}

// The kinds of items that are not a kind of token.
const (
	// KindTokens is an item for tokens of all kinds.
	KindTokens = "tokens"
	// KindFee is an item for anything else, such as searches, storage, credits and taxes.
	KindFee = "fee"
)

// Comparison is a bill beside the calls.
type Comparison struct {
	Provider models.Provider `json:"provider"`
	From     time.Time       `json:"from"`
	To       time.Time       `json:"to"`
	// LimitPercent is that of the bill, or the default.
	LimitPercent float64 `json:"limit_percent"`
	// Within reports whether all of Range is at most LimitPercent of the bill. Known is false if that depends on the cost of unpriced
	// calls, if nothing was billed, and if there are no calls; Within is then false, too.
	Within bool `json:"within"`
	Known  bool `json:"known"`
	// Calls is the number of calls.
	Calls int   `json:"calls"`
	Total Part  `json:"total"`
	Range Range `json:"range"`
	// Days and Models are sorted by name. Cells are the pairs of day and model, the largest difference first. If no item names a model,
	// there are no models, and the cells are the days.
	Days   []Part `json:"days"`
	Models []Part `json:"models"`
	Cells  []Part `json:"cells"`
	// OtherItems are the names of the items that name no model, sorted; none if no item names one.
	OtherItems []string `json:"other_items"`
}

// Range is where the difference lies, in US dollars: an unpriced call costs at least nothing, and is taken to cost at most what a call
// costs on average on the dearest day of the dearest model. The decimals are empty if no cost is known.
type Range struct {
	LowUSD  prices.USD `json:"low_usd"`
	HighUSD prices.USD `json:"high_usd"`
}

// Part is a day, a model, a pair of both, or all of a bill, beside its calls. Amounts are exact, as plain decimals in US dollars.
type Part struct {
	// Name is the day, the model, or both; "" for the total and for what names no model.
	Name string `json:"name"`
	// Day and Model are those of Name.
	Day   string `json:"day,omitempty"`
	Model string `json:"model,omitempty"`
	// Drift is the billed less the counted amount.
	Billed  prices.USD `json:"billed_usd"`
	Counted prices.USD `json:"counted_usd"`
	Drift   prices.USD `json:"drift_usd"`
	// Unpriced is the number of calls whose cost is not known. They are in no amount.
	Unpriced int `json:"unpriced"`
	// Effects add up to Drift, the largest first.
	Effects []Effect `json:"effects"`
	// Cause is the cause of nine tenths of the effects or more, else AmountDiffers if that is more than a tenth, else Mixed. It is "" if
	// the effects are less than a cent.
	Cause Cause `json:"cause"`
}

// Effect is the part of a difference that has one cause.
type Effect struct {
	Cause Cause `json:"cause"`
	// USD is a plain decimal, which can be negative.
	USD prices.USD `json:"usd"`
}

// Cause is what a difference comes from.
type Cause string

// The causes.
const (
	NotCountedModel Cause = "not_counted_model" // a billed model has no call
	MissingCalls    Cause = "missing_calls"     // more tokens were billed than counted
	ExtraCalls      Cause = "extra_calls"       // more tokens were counted than billed
	UnpricedCalls   Cause = "unpriced_calls"    // billed tokens of calls whose cost is not known
	DayBorder       Cause = "day_border"        // tokens were billed on another day than they were counted on
	PartialDay      Cause = "partial_day"       // the bill ends within its last day
	AnotherPrice    Cause = "another_price"     // the billed prices are not those of the counted cost
	Fees            Cause = "fees"              // fees, credits and what names no model, less the counted fees
	AmountDiffers   Cause = "amount_differs"    // the amounts do not show whether calls or prices differ
	Mixed           Cause = "mixed"             // several causes; no effect has it
)

// ValueError reports an invalid argument. Its fields are Field, the Go name of the argument, or of the field in it;
// Value, the argument, or "" if it could be a secret; and Reason, what it must be. The text of the error has all three. It matches
// client.ErrMesh. It is the type that packages client and discovery have under the same name.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("bills", field, value, reason) }

func check(b *Bill, groups []calls.Group) error {
	provider, err := models.ParseProvider(string(b.Provider))
	if err != nil {
		return err
	}
	switch {
	case !b.From.Before(b.To):
		return invalid("To", b.To.Format(time.RFC3339), "must be after From")
	case !(b.LimitPercent >= 0) || new(big.Rat).SetFloat64(b.LimitPercent) == nil: // NaN and infinity, too
		return invalid("LimitPercent", strconv.FormatFloat(b.LimitPercent, 'g', -1, 64), "must be finite and not negative")
	}
	for i := range b.Items {
		if item := &b.Items[i]; !isDay(item.Day) || !isUSD(item.USD) {
			return invalid("Items", "", "must have a day such as 2026-11-21 and a plain decimal")
		}
	}
	for i := range groups {
		if err := checkGroup(&groups[i], provider); err != nil {
			return err
		}
	}
	return nil
}

// checkGroup refuses calls that are not those of the bill, as far as their grouping shows that.
func checkGroup(g *calls.Group, provider models.Provider) error {
	of := g.Value(calls.ByProvider)
	switch {
	case !slices.Contains(g.Names, calls.ByDay) || !slices.Contains(g.Names, calls.ByModel) || len(g.By) != len(g.Names):
		return invalid("groups", strings.Join(g.Names, ", "), "must be by day and model")
	case of != "" && of != string(provider):
		return invalid("groups", of, "must be of the bill's provider")
	case g.Value(calls.ByPlatform) != "":
		return invalid("groups", g.Value(calls.ByPlatform), "must not be on another platform")
	case g.Value(calls.ByBilling) == calls.Subscription:
		return invalid("groups", g.Value(calls.ByBilling), "must be charged")
	case !isDay(g.Value(calls.ByDay)) || g.USD != "" && !isUSD(g.USD) || g.FeesUSD != "" && !isUSD(g.FeesUSD):
		return invalid("groups", "", "must have a day such as 2026-11-21 and plain decimals")
	case g.Unpriced < 0 || g.Calls < g.Unpriced:
		return invalid("groups.Unpriced", strconv.Itoa(g.Unpriced), "must be between 0 and Calls")
	}
	for _, n := range (*usage.Usage)(&g.Usage).Counts() {
		if *n < 0 {
			return invalid("groups.Usage", "", "must not be negative")
		}
	}
	return nil
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

func isUSD(usd prices.USD) bool {
	_, ok := decimal.ParsePlain(strings.TrimPrefix(string(usd), "-"))
	return ok
}
