package pricelist

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// maxPrice is the highest price of a table, so that every cost is a finite float64.
const maxPrice = 1e15

// header is the line with the names of the columns. A table with other columns is refused as a whole: a column that this version does
// not know may limit what a row is for, and without it the row would price other calls too.
const header = "provider,model_id,above,input,cache_read,cache_write_5m,cache_write_1h,output,valid_from,valid_until,sources,verified_at,same_as,mode,modality"

// Read reads a table in the format of the built-in one, as a newer version of it. Every line must be well-formed, since a malformed price
// would be read as one that is not known. Rows of a provider that this version does not know are left out. The errors contain nothing of
// the text.
func Read(text string) (*List, error) {
	var rows []Row
	err := readLines(text, header, func(cells []string) string {
		reason := malformed(cells)
		if reason == "" && companies[cells[0]] != "" { // a later table may have further providers
			rows = append(rows, readRow(cells))
		}
		return reason
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("there are no rows")
	}
	list := New(rows)
	list.Table = text
	return list, nil
}

// readLines reads the lines after the one with the names of the columns. read returns what is wrong with a line; "" for nothing.
func readLines(text, columns string, read func(cells []string) string) error {
	if !strings.HasSuffix(text, "\n") {
		return errors.New("the last line is not complete")
	}
	begun, number := false, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case !begun:
			if line != columns {
				return errors.New("the columns are not those of this version")
			}
			begun = true
			continue
		}
		cells, reason := strings.Split(line, ","), "the number of cells is wrong"
		if len(cells) == strings.Count(columns, ",")+1 {
			reason = read(cells)
		}
		if reason != "" {
			return fmt.Errorf("line %d: %s", number, reason)
		}
	}
	return nil
}

// Update is [Read] for a newer version of the table. The sources of its rows name that version.
func Update(text string) (*List, error) {
	list, err := Read(text)
	if err != nil {
		return nil, err
	}
	version := list.AsOf().Format(time.DateOnly)
	for i := range list.rows {
		row := &list.rows[i]
		row.Source += ofTable + version
		row.Key += keyOfTable + version
	}
	updated := New(list.rows)
	updated.Table, updated.Updated = text, true
	return updated, nil
}

// malformed returns what is wrong with a line; "" for nothing.
func malformed(cells []string) string {
	if slices.ContainsFunc(cells, func(cell string) bool { return len(cell) > 200 || strings.ContainsFunc(cell, notPlain) }) {
		return "a cell is not plain text"
	}
	above, err := strconv.ParseInt(cells[2], 10, 64)
	switch {
	case cells[0] == "" || cells[1] == "":
		return "the model is missing"
	case err != nil || above < 0 || above > 1<<40:
		return "the length of the prompt is not a number"
	case slices.ContainsFunc(cells[3:8], badPrice):
		return "a price is not a decimal"
	}
	return malformedDates(cells)
}

func malformedDates(cells []string) string {
	from, err1 := ParseTime(cells[8])
	until, err2 := ParseTime(cells[9])
	verified, err3 := ParseTime(cells[11])
	switch {
	case err1 != nil || err2 != nil || err3 != nil || verified.IsZero():
		return "a date is not valid"
	case !from.IsZero() && !until.IsZero() && !from.Before(until):
		return "the period has no day"
	case calendar.Date(verified).After(Tomorrow()): // it would stay newer than later tables
		return "the date of the verification is in the future"
	}
	return ""
}

// Tomorrow returns the last day on which a row can have been read, which is today somewhere.
func Tomorrow() time.Time { return calendar.Date(time.Now()).AddDate(0, 0, 1) }

func notPlain(r rune) bool { return r < ' ' || r > '~' }

func badPrice(cell string) bool {
	if cell == "" {
		return false
	}
	usd := ParsePrice(strings.TrimSuffix(cell, "?"))
	return usd == nil || usd.Float64() > maxPrice
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

// confirmedHeader is the line with the names of the columns of confirmed.csv.
const confirmedHeader = "provider,model_id,above,valid_from,mode,modality,confirmed_at"

// rowKey identifies a row of a table.
type rowKey struct {
	provider, model string
	minPrompt       int64
	from            time.Time
	kind            Kind
}

// Confirm returns the list with the days of a text in the format of confirmed.csv, on which the price feeds last stated the rows. The
// VerifiedAt of a row becomes that day if it is later. The days of an earlier Confirm are replaced. A row that the list does not have, a
// wrong day and one after the latest are errors, which contain nothing of the text. The zero time accepts any day.
func (l *List) Confirm(text string, latest time.Time) (*List, error) {
	if l == nil {
		return nil, errors.New("there is no table")
	}
	l = l.Unconfirmed()
	rows := slices.Clone(l.rows)
	places := make(map[rowKey]int, len(rows))
	for i, r := range rows {
		places[rowKey{r.Provider, r.Model, r.MinPrompt, r.From, r.Kind}] = i
	}
	err := readLines(text, confirmedHeader, func(cells []string) string {
		above, err1 := strconv.ParseInt(cells[2], 10, 64)
		from, err2 := ParseTime(cells[3])
		place, known := places[rowKey{cells[0], cells[1], minPrompt(above), from, Kind{cells[4], cells[5]}}]
		day, err3 := ParseTime(cells[6])
		switch {
		case cells[0] != "" && companies[cells[0]] == "": // a row that Read left out
			return ""
		case err1 != nil || above < 0 || err2 != nil || !known:
			return "the table has no such row"
		case err3 != nil:
			return "the day is not valid"
		case !latest.IsZero() && day.After(latest):
			return "the day is in the future"
		}
		rows[place].VerifiedAt = max(rows[place].VerifiedAt, cells[6])
		return ""
	})
	if err != nil {
		return nil, err
	}
	confirmed := New(rows)
	confirmed.Table, confirmed.Updated, confirmed.Confirmed, confirmed.unconfirmed = l.Table, l.Updated, text, l
	return confirmed, nil
}

// Unconfirmed returns the list before Confirm.
func (l *List) Unconfirmed() *List {
	if l == nil || l.unconfirmed == nil {
		return l
	}
	return l.unconfirmed
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

// promotion is the code of a price that may end on a day that no source has.
const promotion = "+promotion"

// describe returns the codes of the column sources as a text for people.
func describe(provider, codes string) string {
	if codes, ok := strings.CutSuffix(codes, promotion); ok {
		return describe(provider, codes) + "; a promotional price, which was guaranteed through 2026-11-21"
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
	for code := range strings.SplitSeq(strings.TrimSuffix(codes, promotion), "+") {
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
