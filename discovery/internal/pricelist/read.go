package pricelist

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// Terms has fees, and the factors, places and hours that change token prices.
type Terms struct {
	Fees     []Fee
	factors  []modeFactor
	regions  []region
	textuals []textual
	hours    []hours
	holidays map[int64]bool
}

// Of returns the facts' prices. If the facts aren't built in, every row's source names
// their version. Rows for unknown providers are left out: a later version may have
// more.
func Of(f *facts.Facts) (*List, *Terms) {
	if f == facts.BuiltIn() {
		return builtIn()
	}
	return read(f, f.Version())
}

// builtIn isn't in package facts, which would then link this parser into programs that
// only use models.
var builtIn = sync.OnceValues(func() (*List, *Terms) { return read(facts.BuiltIn(), "") })

func read(f *facts.Facts, version string) (*List, *Terms) {
	return readList(f.Table("prices.csv"), f.Table("confirmed.csv"), version), &Terms{
		Fees: rows(f, "fees.csv", readFee), factors: rows(f, "factors.csv", readFactor), regions: rows(f, "regions.csv", readRegion),
		textuals: rows(f, "modalities.csv", readTextual), hours: rows(f, "hours.csv", readHours), holidays: readHolidays(f.Table("holidays.csv")),
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

// AsOf returns the rows' newest verification, or the zero time.
func (l *List) AsOf() time.Time {
	var newest time.Time
	for i := range l.Rows() {
		if at, err := ParseTime(l.rows[i].VerifiedAt); err == nil && at.After(newest) {
			newest = at
		}
	}
	return newest
}

// code in the sources column -> description
var sourceNames = map[string]string{ //nolint:gosec // no credentials
	"pi": "pi-ai", "modelsdev": "models.dev", "genai": "genai-prices 0.1.8", "litellm": "litellm", "llmprices": "llm-prices",
	"portkey": "Portkey's model list", "openrouter": "OpenRouter's price list", "vercel": "Vercel's price list", "langfuse": "Langfuse's price list", "helicone": "Helicone's price list",
	"new-api": "new-api", "tokenmeter": "TokenMeter 0.13", "guide": "'s guides", "sdk": "'s SDK", "recorded": "charges of recorded responses", "web": "pages that quote the provider", "claudecode": "'s Claude Code 2.1.332",
}

var companies = map[string]string{
	"openai": "OpenAI", "deepseek": "DeepSeek", "anthropic": "Anthropic", "gemini": "Google", "xai": "xAI",
}

// promotion precedes a promotional price's last guaranteed day in a Key.
const promotion = "+promotion-"

// guaranteed precedes that day in a Source.
const guaranteed = "; a promotional price, which was guaranteed through "

// Guaranteed returns the last guaranteed day in a promotional price's Source, or "".
func Guaranteed(source string) string {
	_, day, _ := strings.Cut(source, guaranteed)
	day, _, _ = strings.Cut(day, ";")
	return day
}

// describe turns a Key's codes into text for people.
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

// If prices aren't built in, a Source ends with ofTable and the table's version, and a
// Key with keyOfTable and the version.
const (
	ofTable    = "; price table of "
	keyOfTable = "@"
)

// Describe returns the Source for a Key. It returns any other string unchanged.
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
