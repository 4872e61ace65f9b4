package page

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

const notKnown = "not known"

// From scientific on, amounts have an exponent, because whole numbers would be too wide.
// Between smallest and small, smallDollars shows three significant digits.
var (
	scientific = big.NewRat(1e9, 1)
	small      = big.NewRat(9995, 10_000)
	smallest   = big.NewRat(1, 1e10)
)

// dollars returns the format for amounts. plus is for positive differences.
func dollars(plus string) money.Format { return money.Format{Currency: "$", Plus: plus, Minus: "−"} }

func rounded(sheet *money.Sheet, usd prices.USD, plus string) string {
	exact, ok := new(big.Rat).SetString(string(usd))
	if !ok {
		return notKnown
	}
	if new(big.Rat).Abs(exact).Cmp(scientific) >= 0 {
		sign := map[int]string{-1: "−", 1: plus}[exact.Sign()]
		value, _ := new(big.Float).SetRat(exact.Abs(exact)).Float64()
		return sign + "$" + strconv.FormatFloat(value, 'e', 2, 64)
	}
	return sheet.Text(dollars(plus), exact)
}

// smallDollars shows three significant digits below a dollar, and cents otherwise.
func smallDollars(usd prices.USD) string {
	if exact := money.Exact(usd); exact.Cmp(smallest) >= 0 && exact.Cmp(small) < 0 {
		return "$" + money.Significant(exact)
	}
	return rounded(money.NewSheet(2), usd, "")
}

// amount has an exact value and its rounded text.
type amount struct {
	Exact prices.USD
	Text  string
}

// amounts rounds parts so that they add up to total as shown.
func amounts(sheet *money.Sheet, plus string, total prices.USD, parts ...prices.USD) []amount {
	all, exact := make([]amount, len(parts)), make([]*big.Rat, len(parts))
	for i, usd := range parts {
		exact[i] = money.Exact(usd)
	}
	shown := sheet.Split(money.Exact(total), exact...)
	for i, usd := range parts {
		all[i] = amount{usd, rounded(sheet, usd, plus)}
		if new(big.Rat).Abs(exact[i]).Cmp(scientific) < 0 && exact[i].Sign() != 0 {
			all[i].Text = sheet.Format(dollars(plus)).Text(shown[i])
		}
	}
	return all
}

func (p *page) usd(usd prices.USD) string   { return rounded(p.sheet, usd, "") }
func (p *page) delta(usd prices.USD) string { return rounded(p.sheet, usd, "+") }

// number converts an amount, or returns 0 for any other text. Huge amounts are limited:
// bars are added and scaled, which must not reach infinity.
func number(usd prices.USD) float64 {
	value, _ := money.Exact(usd).Float64()
	return min(max(value, -math.MaxFloat64/4), math.MaxFloat64/4)
}

// share returns nil if all is 0.
func share(usd, all prices.USD) *float64 {
	if money.Exact(all).Sign() == 0 {
		return nil
	}
	part, _ := new(big.Rat).Quo(money.Exact(usd), money.Exact(all)).Float64()
	return &part
}

// tokens formats a count like "1.8M".
func tokens(n int64) string { return compact(float64(n)) }

// compact uses at most one decimal place, with a unit.
func compact(value float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if scaled := value / unit.size; scaled >= 0.99995 {
			if scaled >= 1e6 {
				return strconv.FormatFloat(value, 'e', 1, 64)
			}
			return strings.TrimSuffix(strconv.FormatFloat(scaled, 'f', 1, 64), ".0") + unit.name
		}
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// percent formats a fraction like "44.2 %".
func percent(fraction *float64, places int) string {
	if fraction == nil || math.IsNaN(*fraction) || math.IsInf(*fraction, 0) {
		return "–"
	}
	return strings.ReplaceAll(table.Percent(*fraction, places), "-", "−") + " %"
}

// signedPercent formats a change like "+44.2 %", or "×45.2" if it's large.
func signedPercent(change *float64, places int) string {
	switch {
	case change == nil:
		return "–"
	case *change >= 1e6:
		return fmt.Sprintf("×%.1e", 1+*change)
	case *change >= 10:
		return fmt.Sprintf("×%.1f", 1+*change)
	}
	text := strings.ReplaceAll(strconv.FormatFloat(100**change, 'f', places, 64), "-", "−") + " %"
	digits := strings.TrimPrefix(text, "−")
	switch {
	case strings.Trim(digits, "0. %") == "":
		return digits // no sign for zero
	case *change > 0:
		return "+" + text
	}
	return text
}

// line removes line breaks, control characters and marks for the writing direction, and
// cuts after 300 characters.
func line(text string) string { return table.Shorten(table.Line(text), maxLine) }

// Amounts and days in sentences. They must not match names: gpt-4o-2024-08-06, gpt-5.2.
var (
	usdInText = regexp.MustCompile(`(^|[ (])([+−-]?)<?([\d,]+\.\d{2,})( USD)?([ .,:;)]|$)`)
	dayInText = regexp.MustCompile(`(^|[ (])(\d{4}-\d\d-\d\d)([ .,:;)]|$)`)
)

// sentence formats amounts and days as in the rest of the page.
func sentence(text string) string {
	text = usdInText.ReplaceAllString(line(text), "${1}${2}$$${3}${5}")
	text = usdInText.ReplaceAllString(text, "${1}${2}$$${3}${5}") // adjacent ones
	return dayInText.ReplaceAllStringFunc(text, func(found string) string {
		parts := dayInText.FindStringSubmatch(found)
		return parts[1] + dateText(parts[2]) + parts[3]
	})
}

// causeOf leaves out the amount, which is next to it on the page.
func causeOf(p *bills.Part) string {
	_, cause, _ := strings.Cut(p.Explain(), " USD")
	return sentence(strings.TrimLeft(cause, ": "))
}

const maxLine = 300

// listed joins three names and counts the rest.
func listed(names []string) string {
	const most = 3
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return line(text)
}

// nameParts splits a name where a line may break: after punctuation, never within words.
func nameParts(name string) (parts []string) {
	name = line(name)
	if strings.TrimSpace(name) == "" {
		return []string{"(no name)"}
	}
	start := 0
	for i := range len(name) - 1 {
		if i-start >= minPart && strings.IndexByte(".-/:_", name[i]) >= 0 {
			parts, start = append(parts, name[start:i+1]), i+1
		}
	}
	return append(parts, name[start:])
}

// minPart is the minimum length before a break.
const minPart = 8

func platformName(name string) string {
	switch name {
	case "":
		return "the provider’s API"
	case "bedrock":
		return "Amazon Bedrock"
	case "vertex":
		return "Google Vertex AI"
	case "azure":
		return "Microsoft Azure"
	}
	return line(name)
}

// dateText formats "2026-11-21" as "21 Nov 2026".
func dateText(date string) string { return dateAs(date, time.DateOnly, "2 Jan 2006") }

// shortDate has the weekday but no year.
func shortDate(date string) string { return dateAs(date, time.DateOnly, "Mon 2 Jan") }

// dateAs returns texts that aren't dates unchanged, except for line.
func dateAs(date, layout, shown string) string {
	at, err := time.Parse(layout, date)
	if err != nil {
		return line(date)
	}
	return at.Format(shown)
}

// seconds formats milliseconds like "850 ms" or "1.2 s".
func seconds(ms *float64) string {
	switch {
	case ms == nil:
		return "–"
	case *ms < 999.5:
		return fmt.Sprintf("%.0f ms", *ms)
	case *ms < 9950:
		return fmt.Sprintf("%.1f s", *ms/1000)
	}
	return money.Separated(fmt.Sprintf("%.0f", math.Min(*ms/1000, 1e12))) + " s"
}

// statusText formats a status like "429 too many requests".
func statusText(status int) string {
	meaning := map[int]string{
		400: "bad request", 401: "unauthorized", 402: "payment required", 403: "forbidden", 404: "not found", 408: "timeout", 413: "too large", 429: "too many requests",
		500: "server error", 502: "bad gateway", 503: "unavailable", 504: "gateway timeout", 529: "overloaded",
	}[status]
	switch {
	case status == 0:
		return "no response"
	case meaning == "":
		return strconv.Itoa(status)
	}
	return strconv.Itoa(status) + " " + meaning
}

// sameChange formats a price change for a replacement, or returns "" if the old price is
// 0.
func sameChange(before, after prices.USD) string {
	old := number(before)
	if old == 0 {
		return ""
	}
	change := number(after)/old - 1
	if math.Abs(change) < 0.005 {
		return "the same"
	}
	return signedPercent(&change, 0)
}
