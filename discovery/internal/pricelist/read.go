package pricelist

import (
	"cmp"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// Of reads the tables of facts. The sources of all rows name the version of facts that are not built
// in. Rows of unknown providers are left out: a later version may have further ones.
func Of(f *facts.Facts) (*List, *Terms) {
	t, version := f.PriceTables(), f.Version()
	if f == facts.BuiltIn() {
		version = ""
	}
	return readList(t.Prices, t.Confirmed, version), &Terms{
		Fees: readFees(t.Fees), factors: readFactors(t.Factors), regions: readRegions(t.Regions), textuals: readTextuals(t.Modalities),
		hours: readHours(t.Hours), holidays: readHolidays(t.Holidays),
	}
}

func readList(prices, confirmed, version string) *List {
	days := make(map[string]string)
	for cells := range tables.Rows(confirmed) {
		days[strings.Join(cells[:6], ",")] = cells[6]
	}
	var rows []Row
	for cells := range tables.Rows(prices) {
		if companies[cells[0]] == "" {
			continue
		}
		row := readRow(cells)
		row.VerifiedAt = max(row.VerifiedAt, days[tables.PriceKey(cells)])
		if version != "" {
			row.Source += ofTable + version
			row.Key += keyOfTable + version
		}
		rows = append(rows, row)
	}
	return New(rows)
}

// AsOf returns the newest verification of the rows; the zero time if none has one.
func (l *List) AsOf() time.Time {
	var newest time.Time
	for i := range l.Rows() {
		if at, err := ParseTime(l.rows[i].VerifiedAt); err == nil && at.After(newest) {
			newest = at
		}
	}
	return newest
}

// sourceNames maps the codes of the column sources to texts.
var sourceNames = map[string]string{ //nolint:gosec // no credentials
	"pi": "pi-ai", "modelsdev": "models.dev", "genai": "genai-prices 0.1.8", "litellm": "litellm", "llmprices": "llm-prices",
	"portkey": "Portkey's model list", "openrouter": "OpenRouter's price list", "vercel": "Vercel's price list", "langfuse": "Langfuse's price list", "helicone": "Helicone's price list",
	"new-api": "new-api", "tokenmeter": "TokenMeter 0.13", "guide": "'s guides", "sdk": "'s SDK", "recorded": "charges of recorded responses", "web": "pages that quote the provider", "claudecode": "'s Claude Code 2.1.332",
}

var companies = map[string]string{
	"openai": "OpenAI", "deepseek": "DeepSeek", "anthropic": "Anthropic", "gemini": "Google", "xai": "xAI",
}

// promotion precedes the last guaranteed day of a promotional price in a Key.
const promotion = "+promotion-"

// guaranteed precedes that day in a Source.
const guaranteed = "; a promotional price, which was guaranteed through "

// Guaranteed returns the last guaranteed day of the promotional price of a Source; "" if it is none.
func Guaranteed(source string) string {
	_, day, _ := strings.Cut(source, guaranteed)
	day, _, _ = strings.Cut(day, ";")
	return day
}

// describe returns the codes of a Key as a text for people.
func describe(provider, codes string) string {
	if codes, day, ok := strings.Cut(codes, promotion); ok {
		return describe(provider, codes) + guaranteed + day
	}
	page := companies[provider] + "'s pricing page"
	var own, others []string
	for _, code := range strings.Split(codes, "+") {
		switch code {
		case "page":
			own = append(own, page)
		case "claudit":
			own = append(own, page+", as carried by kurofune/claudit 1.9.2")
		case "guide", "sdk", "claudecode":
			own = append(own, companies[provider]+sourceNames[code])
		case "":
		default:
			others = append(others, cmp.Or(sourceNames[code], code)) // a later table may have further sources
		}
	}
	switch {
	case len(own) > 0:
		return strings.Join(append(own[:1], others...), "; ")
	case len(others) == 0:
		return "no two sources agree on a price"
	case codes == "recorded":
		return sourceNames[codes]
	case codes == "web": // at least two pages
		return "third-party " + sourceNames[codes] + ", not confirmed on " + page
	case len(others) == 1:
		return "a single third-party table, " + others[0] + ", not confirmed on " + page
	}
	return "third-party tables (" + strings.Join(others, ", ") + "), not confirmed on " + page
}

// What follows the sources of a row of a newer table, before the day of the table, in a Source and in a Key.
const (
	ofTable    = "; price table of "
	keyOfTable = "@"
)

// Describe returns the Source of rows with a Key, for people. Any other text is returned as it is.
func Describe(provider, key string) string {
	codes, table, newer := strings.Cut(key, keyOfTable)
	unpromoted, _, _ := strings.Cut(codes, promotion)
	for code := range strings.SplitSeq(unpromoted, "+") {
		if sourceNames[code] == "" && code != "page" && code != "claudit" {
			return key
		}
	}
	text := describe(provider, codes)
	if newer {
		text += ofTable + table
	}
	return text
}
