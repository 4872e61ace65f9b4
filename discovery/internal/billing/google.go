package billing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

var errNoRate = errors.New("the cost is not in US dollars, and the row has no currency_conversion_rate above 0")

// geminiService is Cloud Billing's "Gemini API". Vertex AI's SKUs belong to a platform.
const geminiService = "AEFD-7695-64FA"

// CreditPrefix starts a credit's line item, before the credit's name. Items that aren't
// use, such as a tax, start with their type, which ends in TypeEnd.
const (
	CreditPrefix = "Credit" + TypeEnd
	TypeEnd      = ": "
)

// googleRow has the relevant columns in Cloud Billing's export. Queries export numbers in
// quotes, too.
type googleRow struct {
	Service *struct {
		ID          string `json:"id"`
		Description string `json:"description"`
	} `json:"service"`
	SKU struct {
		Description string `json:"description"`
	} `json:"sku"`
	Start string `json:"usage_start_time"`
	Usage struct {
		Amount googleNumber `json:"amount"`
		Unit   string       `json:"unit"`
	} `json:"usage"`
	// Type is "regular" for use; others are taxes, adjustments and roundings.
	Type     string        `json:"cost_type"`
	Cost     googleNumber  `json:"cost"`
	Currency string        `json:"currency"`
	Rate     *googleNumber `json:"currency_conversion_rate"`
	Credits  []struct {
		Name   string       `json:"name"`
		Amount googleNumber `json:"amount"`
	} `json:"credits"`
}

// googleNumber is an unchecked number, possibly quoted.
type googleNumber string

// UnmarshalJSON returns no error, since those in package json quote the value.
func (n *googleNumber) UnmarshalJSON(raw []byte) error {
	if text := strings.Trim(string(raw), `"`); text != "null" {
		*n = googleNumber(text)
	}
	return nil
}

// GoogleExport is an export's bill.
type GoogleExport struct {
	// Ignored counts rows for other services.
	Ignored int
	days    map[int64]map[string]*Cost // by UTC day and line item
}

// ReadGoogle reads JSON lines, or one array.
func ReadGoogle(r io.Reader) (*GoogleExport, error) {
	e := &GoogleExport{days: make(map[int64]map[string]*Cost)}
	if _, err := read(lines(r), "gemini", e.add); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *GoogleExport) add(raw json.RawMessage) error {
	var row googleRow
	err := withoutContent(json.Unmarshal(raw, &row))
	switch {
	case errors.Is(err, errSyntax):
		return errors.New("invalid JSON; an export has one row per line")
	case err != nil:
		return err
	case row.Service == nil || row.Service.ID == "" && row.Service.Description == "":
		return errors.New("the row has no service: it is not from Cloud Billing's export gcp_billing_export_v1")
	case row.Service.ID != geminiService && (row.Service.ID != "" || row.Service.Description != "Gemini API"):
		e.Ignored++
		return nil
	case row.SKU.Description == "":
		return errors.New("the row has no SKU description")
	}
	if err := checkRepeated(raw); err != nil {
		return err
	}
	// Queries export times without a zone, exports with "UTC".
	at, ok := calendar.Parse(strings.TrimSuffix(row.Start, " UTC"), time.UTC)
	if !ok {
		return errTimestamp
	}
	usd, err := row.usd(row.Cost, "the row has no cost, or one that is not a number")
	if err != nil {
		return err
	}
	cost, err := row.cost(usd)
	if err != nil {
		return err
	}
	day := calendar.DayNumber(at) * calendar.SecondsPerDay
	e.addCost(day, cost)
	for i, credit := range row.Credits {
		if usd, err = row.usd(credit.Amount, "a credit has no amount, or one that is not a number"); err != nil {
			return fmt.Errorf("credits[%d]: %w", i, err)
		}
		e.addCost(day, Cost{LineItem: CreditPrefix + credit.Name, amount: usd})
	}
	return nil
}

func (e *GoogleExport) addCost(day int64, c Cost) {
	if e.days[day] == nil {
		e.days[day] = make(map[string]*Cost)
	}
	sum := e.days[day][c.LineItem]
	if sum == nil {
		e.days[day][c.LineItem] = &c
		return
	}
	sum.amount, sum.quantity = sum.amount.Add(c.amount), sum.quantity.add(c.quantity)
}

// cost returns the row's line item. The quantity is in tokens if the SKU prices tokens.
func (row *googleRow) cost(usd decimal.Decimal) (Cost, error) {
	c := Cost{LineItem: row.SKU.Description, amount: usd}
	if row.Type != "" && row.Type != "regular" {
		c.LineItem = strings.ToUpper(row.Type[:1]) + row.Type[1:] + ": " + c.LineItem
		return c, nil
	}
	if row.Usage.Amount == "" {
		return c, nil
	}
	used, err := decimal.Parse(string(row.Usage.Amount))
	if err != nil {
		return c, fmt.Errorf("usage.amount: %w", err)
	}
	c.quantity = &Quantity{used, row.Usage.Unit}
	if geminisku.KindOf(c.LineItem) != "" {
		c.quantity.Unit = "tokens"
	}
	return c, nil
}

// decimal places after conversion to US dollars
const convertedPlaces = 12

// usd divides an amount by the row's conversion rate.
func (row *googleRow) usd(n googleNumber, missing string) (decimal.Decimal, error) {
	if n == "" {
		return decimal.Decimal{}, errors.New(missing)
	}
	amount, err := decimal.Parse(string(n))
	if err != nil || row.Currency == "USD" || row.Currency == "" && row.Rate == nil {
		return amount, err
	}
	if row.Rate == nil || *row.Rate == "" {
		return amount, errNoRate
	}
	rate, err := decimal.Parse(string(*row.Rate))
	if err != nil || rate.Sign() <= 0 {
		return amount, errNoRate
	}
	quotient := decimal.Round(amount.Rat().Quo(amount.Rat(), rate.Rat()), convertedPlaces)
	return decimal.Parse(quotient.String()) // a small rate can make the amount too large
}

// Days returns the days that have rows, oldest first.
func (e *GoogleExport) Days() []Day {
	days := make([]Day, 0, len(e.days))
	for _, start := range slices.Sorted(maps.Keys(e.days)) {
		day := Day{Start: start, End: start + calendar.SecondsPerDay, Raw: []json.RawMessage{}}
		for _, item := range slices.Sorted(maps.Keys(e.days[start])) {
			day.costs = append(day.costs, *e.days[start][item])
		}
		days = append(days, day)
	}
	return days
}

// withoutContent removes the file's text from a decoder error.
func withoutContent(err error) error {
	var wrongType *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrongType):
		return fmt.Errorf("%s must not be a JSON %s", wrongType.Field, firstWord(wrongType.Value))
	case errors.As(err, &syntax):
		return errSyntax
	}
	return err
}

// firstWord drops the value, as in "number 1e999".
func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
