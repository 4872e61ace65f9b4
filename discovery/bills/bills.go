// Package bills compares a provider's bill with counted calls, by UTC day and model. It
// sends no request:
//
//	comparison, err := bills.Compare(&bill, groups)
//	fmt.Println(comparison) // within 2 % or not, and why
//
// ReconciliationReport.Compare in package discovery does this for a bill that was
// requested or saved. Fill in a [Bill] yourself if you have it in another form.
//
// Each difference is split into effects: amounts by cause, which add up exactly to the
// difference. No price list is used.
//
// # Method
//
// A token kind's billed price is the billed amount divided by the billed tokens. If the
// bill has no quantities, it's the ratio between billed amount and counted tokens that
// several days share. Then:
//
//   - billed less counted tokens, at that price, are an effect of calls
//   - the counted tokens at that price, less their counted cost, are [AnotherPrice]
//   - billed less counted fees are [Fees]
//   - a difference that amounts alone don't explain is [AmountDiffers]
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

// DefaultLimitPercent applies if [Bill].LimitPercent is 0.
const DefaultLimitPercent = 2

// Bill has the amounts that a provider billed from From until To (exclusive).
type Bill struct {
	Provider models.Provider
	From, To time.Time
	Items    []Item
	// PartialDay is the day that the bill may cover only in part, such as "2026-11-21":
	// today, or a saved bill's last day. "" means that all days are whole.
	PartialDay string
	// LimitPercent is the largest difference for [Comparison].Within, in percent of the
	// bill; 0 means [DefaultLimitPercent]. The smallest float64 above 0 allows no
	// difference.
	LimitPercent float64
}

// Item is a line item for a UTC day.
type Item struct {
	// Day is the UTC day, such as "2026-11-21". If an item spans several days, it's the
	// first.
	Day string
	// Name is the provider's item name, and Model the model's name in the calls; "" if the
	// item names no model.
	Name, Model string
	// Kind is a token kind as in [prices.Line].Kind, KindTokens or KindOther; "" is
	// KindTokens.
	Kind string
	// USD is a plain decimal. It's negative for a credit or a refund.
	USD prices.USD
	// Tokens has the billed tokens; nil if the bill doesn't state them.
	Tokens *int64
}

// Values for [Item].Kind, in addition to token kinds such as "input".
const (
	// KindTokens is an item for all token kinds together.
	KindTokens = "tokens"
	// KindOther is an item that isn't for tokens, such as searches, storage, credits and
	// taxes.
	KindOther = "other"
)

// Comparison shows a bill next to the calls.
type Comparison struct {
	Provider models.Provider `json:"provider"`
	From     time.Time       `json:"from"`
	To       time.Time       `json:"to"`
	// LimitPercent is from the bill, or the default.
	LimitPercent float64 `json:"limit_percent"`
	// Within reports whether all of Range is at most LimitPercent of the bill.
	//
	// If Known is false, so is Within: the answer depends on what unpriced calls cost,
	// nothing was billed, or there are no calls.
	Within bool `json:"within"`
	Known  bool `json:"known"`
	// Calls is the number of calls.
	Calls int   `json:"calls"`
	Total Part  `json:"total"`
	Range Range `json:"range"`
	// Days and Models are sorted by name. Cells are pairs with a day and a model, the
	// largest difference first. If no item names a model, Models is empty, and the cells
	// are days.
	Days   []Part `json:"days"`
	Models []Part `json:"models"`
	Cells  []Part `json:"cells"`
	// OtherItems has the sorted names from items without a model. It's empty if no item
	// names a model.
	OtherItems []string `json:"other_items"`
}

// Range limits the difference, in US dollars. An unpriced call is assumed to cost at
// least nothing, and at most an average call on the most expensive model's most expensive
// day. Both are "" if no cost is known.
type Range struct {
	LowUSD  prices.USD `json:"low_usd"`
	HighUSD prices.USD `json:"high_usd"`
}

// Part compares a day, a model, a pair, or the whole bill. Amounts are exact, as plain
// decimals in US dollars.
type Part struct {
	// Name is the day, the model, or both; "" for the total and for items without a model.
	Name string `json:"name"`
	// Day and Model are the two parts in Name.
	Day   string `json:"day,omitempty"`
	Model string `json:"model,omitempty"`
	// DriftUSD is the billed less the counted amount.
	BilledUSD  prices.USD `json:"billed_usd"`
	CountedUSD prices.USD `json:"counted_usd"`
	DriftUSD   prices.USD `json:"drift_usd"`
	// Unpriced counts calls with unknown cost. They are in no amount.
	Unpriced int `json:"unpriced"`
	// Effects add up to DriftUSD, the largest first.
	Effects []Effect `json:"effects"`
	// Cause explains at least nine tenths of the effects. If no cause does, it's
	// AmountDiffers if that explains at least a tenth, or else Mixed. It's "" if the effects
	// are less than a cent.
	Cause Cause `json:"cause"`
}

// Effect is the amount from one cause.
type Effect struct {
	Cause Cause `json:"cause"`
	// USD is a plain decimal, possibly negative.
	USD prices.USD `json:"usd"`
}

// Cause explains a difference.
type Cause string

// The causes.
const (
	NotCountedModel Cause = "not_counted_model" // a billed model has no calls
	MissingCalls    Cause = "missing_calls"     // more tokens were billed than counted
	ExtraCalls      Cause = "extra_calls"       // more tokens were counted than billed
	UnpricedCalls   Cause = "unpriced_calls"    // billed tokens for calls with unknown cost
	DayBorder       Cause = "day_border"        // tokens were billed on another day than they were counted on
	PartialDay      Cause = "partial_day"       // the bill ends within Bill.PartialDay
	AnotherPrice    Cause = "another_price"     // the billed prices differ from those in the counted cost
	Fees            Cause = "fees"              // billed fees, credits and items without a model, less the counted fees
	AmountDiffers   Cause = "amount_differs"    // the amounts do not show whether calls or prices differ
	Mixed           Cause = "mixed"             // several causes; never in an Effect
)

// ValueError reports an invalid argument: Field is the argument's Go name, or the field
// in it. Value is the argument, or "" if it could be a secret. Reason is the
// requirement. The error text has all three. It matches client.ErrMesh. Packages client
// and discovery have the same type.
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
	case b.PartialDay != "" && !isDay(b.PartialDay):
		return invalid("PartialDay", b.PartialDay, "must be a day such as 2026-11-21")
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

// checkGroup refuses calls that can't be on the bill, if their grouping shows that.
func checkGroup(g *calls.Group, provider models.Provider) error {
	of := g.Value(calls.ByProvider)
	switch {
	case !slices.Contains(g.Names, calls.ByDay) || !slices.Contains(g.Names, calls.ByModel) || len(g.Values) != len(g.Names):
		return invalid("groups", strings.Join(g.Names, ", "), "must be grouped by day and model")
	case of != "" && of != string(provider):
		return invalid("groups", of, "must be from the bill's provider")
	case g.Value(calls.ByPlatform) != "":
		return invalid("groups", g.Value(calls.ByPlatform), "must not be on another platform")
	case g.Value(calls.ByBilling) == calls.Subscription:
		return invalid("groups", g.Value(calls.ByBilling), "must be charged")
	case !isDay(g.Value(calls.ByDay)) || g.USD != "" && !isUSD(g.USD) || g.FeesUSD != "" && !isUSD(g.FeesUSD):
		return invalid("groups", "", "must have a day such as 2026-11-21 and plain decimals")
	case g.Unpriced < 0 || g.Calls < g.Unpriced:
		return invalid("groups.Unpriced", strconv.Itoa(g.Unpriced), "must be between 0 and Calls")
	}
	for _, n := range (*usage.Typed[prices.USD])(&g.Usage).Counts() {
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
