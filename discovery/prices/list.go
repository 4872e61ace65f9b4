package prices

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// List has prices for models. It is immutable, and its methods read no environment,
// clock or network. The zero value is an empty list.
//
// [BuiltIn] is this package's list, [List.With] adds your own prices, and
// [github.com/mesh-gateway/mesh-go/discovery.Client.LivePrices] adds the prices that
// providers publish now. [List.CostOf] prices a call.
//
// A listed row's TierThresholdTokens is the shortest prompt to which it applies:
// 200,001 for prices "above 200K", but 200,000 for xAI, whose long context begins
// there.
type List struct {
	own   ownPrices
	live  map[models.Provider]livePrices
	table *pricelist.List
	// terms are nil for a list without a table. feeless are the same terms without fees.
	terms, feeless *pricelist.Terms
}

// BuiltIn returns the built-in price list: every model, period and tier. Models without
// a known price have a row whose prices are all "".
//
// The list has a price if the provider's own page has it or two independent sources
// agree; Source names them. Only claude-2.0's prices have a single source. If a row's
// prices are all "", its period or tier has no known price. A retired model keeps its
// last price, unless that price ends.
//
// Rows with Modality audio and image price those tokens. DeepSeek's two prices are rows
// with [ModePeak] and [ModeOffPeak].
func BuiltIn() *List { return builtInPrices() }

var builtInPrices = sync.OnceValue(func() *List { return Of(facts.BuiltIn()) })

// Of returns the price list in facts. [BuiltIn] is the list in [facts.BuiltIn]; other
// lists name the version of their facts in Source.
func Of(f *facts.Facts) *List {
	table, terms := pricelist.Of(f)
	feeless := *terms
	feeless.Fees = nil
	return &List{table: table, terms: terms, feeless: &feeless}
}

// Rows returns a provider's rows, or all rows for "": your own, then live ones, then
// the table's, each in their order. For an unknown provider the result is empty.
func (l *List) Rows(p models.Provider) []Row {
	p = modelid.Canonical(p)
	rows := l.own.rows(l.own.list.Rows())
	for _, list := range l.lists()[1:] {
		rows = append(rows, rowsOf(list.Rows())...)
	}
	return slices.DeleteFunc(rows, func(r Row) bool { return p != "" && r.Provider != p })
}

// ForModel returns a model's rows, under any spelling of its id, with all periods and
// tiers. They are in the order in which [List.CostOf] uses them: your own, then live
// ones, then the table's. For a model without rows the result is empty.
func (l *List) ForModel(p models.Provider, model string) []Row {
	found := l.find(modelid.Canonical(p), model)
	return append(append(l.own.rows(found.own), rowsOf(found.live)...), rowsOf(found.listed)...)
}

// Price returns a model's standard text price at a time. If the price depends on prompt
// length, the row is the one for the shortest prompt. Price returns false if the list
// has no such price, or if at is zero. [List.ForModel] also returns other modes, tiers
// and periods.
//
// [List.CostOf] uses the same row, so your own prices come first, and DeepSeek's row
// depends on the hour. Factors, such as for a region that the id names, are not
// applied.
func (l *List) Price(p models.Provider, model string, at time.Time) (Row, bool) {
	if at.IsZero() {
		return Row{}, false
	}
	p = modelid.Canonical(p)
	found := l.find(p, model)
	rows, own := found.inForce(at, 0)
	call := pricelist.Call{Provider: string(p), At: at, Terms: l.chargedBy()}
	row, _ := call.Row(rows, "")
	switch {
	case row == nil || !row.Priced():
		return Row{}, false
	case own:
		return l.own.given[row.Index], true
	}
	return rowOf(row), true
}

// AsOf returns the rows' newest VerifiedAt, or the zero time if no row has one.
func (l *List) AsOf() time.Time {
	var newest time.Time
	for _, list := range l.lists() {
		if at := list.AsOf(); at.After(newest) {
			newest = at
		}
	}
	return newest
}

// lists returns all lists in order of precedence.
func (l *List) lists() []*pricelist.List {
	lists := []*pricelist.List{l.own.list}
	for _, p := range slices.Sorted(maps.Keys(l.live)) {
		lists = append(lists, l.live[p].list)
	}
	return append(lists, l.table)
}

// modelRows has a model's rows; nil where a list lacks the model.
type modelRows struct{ own, live, listed []pricelist.Row }

// inForce returns the rows that price a call, and reports whether they are the caller's
// own.
func (m *modelRows) inForce(at time.Time, prompt int64) (rows []pricelist.Row, own bool) {
	if slices.ContainsFunc(m.own, func(r pricelist.Row) bool { return r.Modality == "" && r.ValidAt(at) }) {
		return m.own, true
	}
	live, _ := pricelist.InForce(m.live, pricelist.Kind{}, at, prompt)
	if m.listed == nil || live != nil && live.Priced() {
		return m.live, false
	}
	return m.listed, false
}

// find accepts any spelling of the id. Ids in the table take the fast path, which
// rewrites nothing; namedRows puts the other lists' rows under those ids, too.
func (l *List) find(p models.Provider, model string) modelRows {
	if listed := l.table.Model(string(p), model); listed != nil {
		return modelRows{l.own.list.Model(string(p), model), l.live[p].list.Model(string(p), model), listed}
	}
	names := lookupNames(p, model)
	found := modelRows{own: firstRows(l.own.list, p, names)}
	if !modelid.RulesOf(p).Resold(model) {
		found.live, found.listed = firstRows(l.live[p].list, p, names), firstRows(l.table, p, names)
		if found.live == nil && found.listed == nil {
			found.live = l.live[p].released(model)
		}
	}
	return found
}

// lookupNames returns names to look up, best first. An unlisted build doesn't get its
// model's price, which may differ; only Claude builds are known to cost the same.
func lookupNames(p models.Provider, model string) []string {
	rules := modelid.RulesOf(p)
	names := append([]string{model}, rules.Spellings(model)...)
	switch plainest := modelid.Last(names); {
	case p == models.Anthropic:
		names = append(names, rules.Normalize(plainest))
	case p == models.OpenAI:
		names = append(names, modelid.WithoutDeployment(plainest))
	}
	return names
}

// firstRows tries the names in order.
func firstRows(list *pricelist.List, p models.Provider, names []string) []pricelist.Row {
	for _, name := range names {
		if rows := list.Model(string(p), name); rows != nil {
			return rows
		}
	}
	return nil
}

// namedRows also puts rows under the plainest spelling of their id, and under each id
// in the table for the same model.
func (l *List) namedRows(rows []pricelist.Row) *pricelist.List {
	list := pricelist.New(rows)
	for _, r := range rows {
		plainest := modelid.Last(modelid.RulesOf(models.Provider(r.Provider)).Spellings(r.Model))
		list.AddName(r.Provider, plainest, list.Model(r.Provider, r.Model))
	}
	for _, r := range l.table.Rows() {
		p := models.Provider(r.Provider)
		list.AddName(r.Provider, r.Model, firstRows(list, p, lookupNames(p, r.Model)))
	}
	return list
}

// Platform bills a call instead of the model's developer. "" is the developer's own
// API.
type Platform string

// Platforms with known prices; docs/providers.md lists their limits.
const (
	// PlatformOpenRouter is OpenRouter, which states each call's charge
	// (Usage.ChargedUSD).
	PlatformOpenRouter Platform = "openrouter"
	// PlatformBedrock is Amazon Bedrock.
	PlatformBedrock Platform = "bedrock"
	// PlatformVertex is Google Cloud's Vertex AI.
	PlatformVertex Platform = "vertex"
	// PlatformAzure is Azure OpenAI and Microsoft Foundry.
	PlatformAzure Platform = "azure"
)

// charges reports whether the platform bills a charge stated in a response. On others
// it is the developer's own price, as in Grok's usage on Azure.
func (p Platform) charges() bool { return p == "" || p == PlatformOpenRouter }

func (c *Call) place() pricelist.Place {
	return pricelist.Place{Platform: string(c.Platform), Region: strings.ToLower(c.Region), Profile: strings.ToLower(c.Profile)}
}

// providerName returns one of the five providers in its own spelling, or any name with
// 1 to 64 lower-case letters, digits, dots and hyphens.
func providerName(p models.Provider, field string) (models.Provider, error) {
	if known := modelid.Lookup(p); known != nil {
		return models.Provider(known.ID), nil
	}
	if !modelid.IsName(string(p)) {
		return "", invalid(field, string(p), modelid.UnknownName())
	}
	return p, nil
}

// Fee is the list price for one tool use, in addition to its tokens. A call can't tell
// whether the account's daily or monthly free allowance covers it.
type Fee struct {
	Provider models.Provider `json:"provider"`
	// Tool is named as in [Usage].ToolUses.
	Tool string `json:"what"`
	// Unit is the billed unit: each "request", "query", "source" or "container", or the
	// "prompt", at most once per call.
	Unit string `json:"unit"`
	// Models are model ids, or prefixes that end in "*". If several fees match a model,
	// the one with the longest matching pattern applies.
	Models []string `json:"models"`
	// USDPerUse is the fee as a decimal. "0" is free, and "" is unknown.
	USDPerUse USD `json:"usd_per_request"`
	// ValidFrom is when the fee begins. ValidUntil is when it ends, exclusive, as in
	// [Row].
	ValidFrom  *string `json:"valid_from"`
	ValidUntil *string `json:"valid_until"`
	// Source names who lists the fee.
	Source string `json:"source"`
	// VerifiedAt is the date on which Source was read; nil if unknown.
	VerifiedAt *string `json:"verified_at"`
}

// Fees returns a provider's tool fees, or all fees for "". Using any other tool has no
// known cost. An empty price list has no fees.
func (l *List) Fees(p models.Provider) []Fee {
	p = modelid.Canonical(p)
	fees := []Fee{}
	for _, f := range l.chargedBy().Fees {
		if p == "" || p == models.Provider(f.Provider) {
			fees = append(fees, feeOf(&f))
		}
	}
	return fees
}

// A list without a table has no fees.
func (l *List) chargedBy() *pricelist.Terms {
	if l.terms == nil {
		return BuiltIn().feeless
	}
	return l.terms
}

func feeOf(f *pricelist.Fee) Fee {
	fee := Fee{
		Provider: models.Provider(f.Provider), Tool: f.What, Unit: f.Unit, Models: slices.Clone(f.Models), Source: f.Source,
		ValidFrom: ptr.Of(pricelist.FormatTime(f.From)), ValidUntil: ptr.Of(pricelist.FormatTime(f.Until)), VerifiedAt: ptr.Of(f.VerifiedAt),
	}
	if f.USD != nil {
		fee.USDPerUse = USD(f.USD.String())
	}
	return fee
}

// ValueError reports an invalid argument. It matches client.ErrMesh, and is the type
// that packages client and discovery export under the same name.
//
// Field is the argument's Go name, or its field's. Value is the argument, or "" if it
// could be a secret. Reason says what the argument must be. The error string has all
// three.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("prices", field, value, reason) }
