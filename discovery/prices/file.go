package prices

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/savefile"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

var pricesFormat = savefile.Format{Name: "mesh-go-prices", Version: "2", Writer: "List.Save"}

// maxPricesFile is the size of the largest file that Load reads; that of the built-in list has 0.2 MB.
const maxPricesFile = 32 << 20

// pricesFile is the content of a price file.
type pricesFile struct {
	ETag string `json:"etag,omitempty"`
	Own  []Row  `json:"own,omitempty"`
	// Table is the text of the table; "" for none. Updated reports that it is one of UpdatePrices.
	Table   string `json:"table"`
	Updated bool   `json:"updated,omitempty"`
	// Confirmed is the text of WithConfirmed for the table.
	Confirmed string `json:"confirmed,omitempty"`
}

// Save writes the list to a file for [Load]: the rows of [List.With] and the table, exactly. Live rows are left out, because they price
// calls of one day; see [github.com/mesh-gateway/mesh-go/discovery.Client.LivePrices]. Nothing in the file is secret, but your own prices
// may be confidential. An error of w is returned.
func (l *List) Save(w io.Writer) error {
	if w == nil {
		return invalid("w", "", "must not be nil")
	}
	file := pricesFile{ETag: l.etag, Own: l.own.given}
	if l.table != nil {
		file.Table, file.Updated, file.Confirmed = l.table.Table, l.table.Updated, l.table.Confirmed
	}
	content, err := json.Marshal(file)
	if err != nil {
		return fmt.Errorf("prices: Save: %w", err)
	}
	if _, err := io.Copy(w, bytes.NewReader(pricesFormat.File(append(content, '\n')))); err != nil {
		return fmt.Errorf("prices: Save: %w", err)
	}
	return nil
}

// Load reads a list that [List.Save] wrote. A file that is damaged, truncated, longer than 32 MiB, of another format
// version or no price file is a [*ValueError]. An error of r is returned, wrapped. The texts contain nothing of the file.
func Load(r io.Reader) (*List, error) {
	if r == nil {
		return nil, invalid("reader", "", "must not be nil")
	}
	text, err := io.ReadAll(io.LimitReader(r, maxPricesFile+1))
	if err != nil {
		return nil, fmt.Errorf("prices: Load: %w", err)
	}
	list, err := parsePricesFile(text)
	if err != nil {
		return nil, invalid("reader", "", err.Error())
	}
	return list, nil
}

// The causes for which a price file is rejected.
var (
	errPricesContent    = errors.New("does not contain valid prices")
	errPricesFileTooBig = fmt.Errorf("is longer than %d bytes", maxPricesFile)
)

func parsePricesFile(text []byte) (*List, error) {
	if len(text) > maxPricesFile {
		return nil, errPricesFileTooBig
	}
	content, err := pricesFormat.Content(text)
	if err != nil {
		return nil, err
	}
	var f pricesFile
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errPricesContent
	}
	table, err := f.list()
	if err != nil || strings.ContainsFunc(f.ETag, func(r rune) bool { return r < ' ' || r == 0x7f }) { // it is sent as a header
		return nil, errPricesContent
	}
	list := &List{table: table, etag: f.ETag}
	if len(f.Own) == 0 {
		return list, nil
	}
	if list, err := list.With(f.Own...); err == nil {
		return list, nil
	}
	return nil, errPricesContent
}

// list returns the price list of the table, or nil if the file has no table.
func (f *pricesFile) list() (*pricelist.List, error) {
	if f.Table == "" {
		return nil, nil //nolint:nilnil // the list of an empty List
	}
	read := pricelist.Read
	if f.Updated {
		read = pricelist.Update
	}
	table, err := read(f.Table)
	if err != nil || f.Confirmed == "" {
		return table, err
	}
	return table.Confirm(f.Confirmed, pricelist.Tomorrow())
}

// ownPrices are the rows of With: as they were given, and as CostOf reads them.
type ownPrices struct {
	given []Row
	list  *pricelist.List
}

// rows returns rows of the list as they were given.
func (o ownPrices) rows(listed []pricelist.Row) []Row {
	rows := make([]Row, len(listed))
	for i := range listed {
		rows[i] = o.given[listed[i].Index]
	}
	return rows
}

// With returns the list with your own prices, which take precedence over all others: prices of a contract, of a fine-tuned model
// or of a new one. l does not change.
//
// A row applies to the model of its ModelHint in any spelling, from ValidFrom until ValidUntil, and to prompts of
// TierThresholdTokens or more. A build needs its own row, except a build of Claude. Of several rows that apply, the one with
// the highest threshold is used, and among equal ones the first; rows of a later With come before rows of an earlier one. At
// other times the model has its listed price. No factor is applied: a batch or another mode needs a row with that Mode. The
// price "" is unknown. A row of Modality audio or image prices those
// tokens; a model with a row for text is not billed by listed rows for them. Rows of [ModePeak] and [ModeOffPeak] of DeepSeek are
// chosen by the hour. Fees are the fees of [List.Fees].
//
// A Provider is one of the five, or any name of at most 64 lower-case letters, digits, dots and hyphens, such as the one of a host that
// meter.WithEndpoint names. A row of a developer holds on every platform, one whose Provider is the name of a Platform on that platform
// only. A row whose prices are "0" or "", at least one "0", declares the model free: whatever it uses costs nothing but fees.
//
// A row with an invalid Provider, no ModelHint, a negative threshold, an invalid period, or a price that is negative or above
// 1e15 is a [*ValueError].
func (l *List) With(rows ...Row) (*List, error) {
	given := make([]Row, len(rows), len(rows)+len(l.own.given))
	for i := range rows {
		given[i] = rows[i]
		if err := given[i].complete(); err != nil {
			return nil, err
		}
		given[i].Source = cmp.Or(given[i].Source, sourceOwn)
	}
	given = append(given, l.own.given...)
	priced := make([]pricelist.Row, len(given))
	for i := range given {
		priced[i] = given[i].listed()
	}
	list := *l
	list.own = ownPrices{given, l.namedRows(priced)}
	return &list, nil
}

// sourceOwn is the Source of rows of With without a Source.
const sourceOwn = "the caller's own price"

// complete checks a row, and sets its provider to its own spelling.
func (r *Row) complete() error {
	known, err := providerName(r.Provider, "Provider")
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(r.ModelHint) == "":
		return invalid("ModelHint", "", "must not be empty")
	}
	r.Provider, r.ModelHint = known, strings.TrimSpace(r.ModelHint)
	if r.TierThresholdTokens < 0 {
		return invalid("TierThresholdTokens", strconv.FormatInt(r.TierThresholdTokens, 10), "must not be negative")
	}
	if err := r.checkPrices(); err != nil {
		return err
	}
	return r.checkPeriod()
}

// maxPrice bounds a price, so that every cost is a finite float64.
const maxPrice = 1e15

func (r *Row) checkPrices() error {
	for _, price := range []struct{ field, usd string }{
		{"InputPerMTok", r.InputPerMTok}, {"OutputPerMTok", r.OutputPerMTok}, {"CacheReadPerMTok", r.CacheReadPerMTok},
		{"CacheWrite5mPerMTok", r.CacheWrite5mPerMTok}, {"CacheWrite1hPerMTok", r.CacheWrite1hPerMTok},
	} {
		if price.usd == "" {
			continue
		}
		if usd := pricelist.ParsePrice(price.usd); usd == nil || usd.Float64() > maxPrice {
			return invalid(price.field, price.usd, "must be a plain decimal such as 2.5, at most 1e15")
		}
	}
	return nil
}

func (r *Row) checkPeriod() error {
	from, err := pricelist.ParseTime(r.ValidFrom)
	if err != nil {
		return invalid("ValidFrom", r.ValidFrom, "must be a date such as 2026-12-01 or an RFC 3339 time")
	}
	until, err := pricelist.ParseTime(r.ValidUntil)
	if err != nil {
		return invalid("ValidUntil", r.ValidUntil, "must be a date such as 2026-12-01 or an RFC 3339 time")
	}
	if r.ValidFrom != "" && r.ValidUntil != "" && !from.Before(until) {
		return invalid("ValidUntil", r.ValidUntil, "must be after ValidFrom")
	}
	return nil
}

// listed returns a valid row as CostOf reads it.
func (r *Row) listed() pricelist.Row {
	from, _ := pricelist.ParseTime(r.ValidFrom)
	until, _ := pricelist.ParseTime(r.ValidUntil)
	return pricelist.Row{
		Provider: string(r.Provider), Model: r.ModelHint, Kind: r.kind(), MinPrompt: r.TierThresholdTokens,
		Input: pricelist.ParsePrice(r.InputPerMTok), Output: pricelist.ParsePrice(r.OutputPerMTok),
		CacheRead: pricelist.ParsePrice(r.CacheReadPerMTok), CacheWrite5m: pricelist.ParsePrice(r.CacheWrite5mPerMTok),
		CacheWrite1h: pricelist.ParsePrice(r.CacheWrite1hPerMTok),
		From:         from, Until: until, Source: r.Source, VerifiedAt: r.VerifiedAt,
	}
}

// kind returns what the prices of a row are for.
func (r *Row) kind() pricelist.Kind {
	kind := pricelist.Kind{Mode: usage.Mode(r.Mode, ""), Modality: r.Modality}
	if kind.Modality == ModalityText {
		kind.Modality = ""
	}
	return kind
}
