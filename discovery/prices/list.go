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

// List is a list of prices. It is immutable, and its methods read no environment, no clock and no network. The zero value
// is an empty list.
//
// [BuiltIn] is the list of this package, [List.With] adds your own prices, and
// [github.com/mesh-gateway/mesh-go/discovery.Client.LivePrices] those that providers publish now. [List.CostOf] computes the cost of a
// call.
//
// In a list, TierThresholdTokens of a row is the length of the shortest prompt that the row applies to: 200,001 for prices
// "above 200K", and 200,000 for xAI, whose long context begins there.
type List struct {
	own   ownPrices
	live  map[models.Provider]livePrices
	table *pricelist.List
	terms *pricelist.Terms // nil for a list without a table
}

// BuiltIn returns the built-in price list: every model, period and tier. Models without a known price have a row whose
// prices are all "".
//
// A price is in the list if the provider's own page has it or two independent sources agree; Source names them. Only the
// prices of claude-2.0 have a single source. A row whose prices are all "" has a period or a tier whose price is not known. A
// model keeps its last price after its retirement, unless that price ends.
//
// Rows of Modality audio and image have the prices of those tokens. DeepSeek's two prices are rows of [ModePeak] and
// [ModeOffPeak].
func BuiltIn() *List { return builtInPrices() }

var builtInPrices = sync.OnceValue(func() *List { return Of(facts.BuiltIn()) })

// Of returns the price list of facts: [BuiltIn] is that of [facts.BuiltIn]. Other lists name the
// version of the facts in Source.
func Of(f *facts.Facts) *List {
	table, terms := pricelist.Of(f)
	return &List{table: table, terms: terms}
}

// Rows returns the rows of a provider, or of all for "": your own, then live ones, then the rows of the table, each in their
// order. For an unknown provider the list is empty.
func (l *List) Rows(p models.Provider) []Row {
	p = modelid.Canonical(p)
	rows := l.own.rows(l.own.list.Rows())
	for _, list := range l.lists()[1:] {
		rows = append(rows, rowsOf(list.Rows())...)
	}
	return slices.DeleteFunc(rows, func(r Row) bool { return p != "" && r.Provider != p })
}

// ForModel returns the rows of a model, under any spelling of its id, in the order in which [List.CostOf] uses them: your own,
// then live ones, then the rows of the table, of all periods and tiers. For a model without a row the list is empty.
func (l *List) ForModel(p models.Provider, model string) []Row {
	found := l.find(modelid.Canonical(p), model)
	return append(append(l.own.rows(found.own), rowsOf(found.live)...), rowsOf(found.listed)...)
}

// Price returns the standard price of a model at a time: the row for text, and if the price depends
// on the length of the prompt, the row for the shortest one. It returns false if the list has no such
// price, or if at is zero. [List.ForModel] also returns other modes, tiers and periods.
//
// The row is the one that [List.CostOf] uses, so your own prices come first, and DeepSeek's row
// depends on the hour. Factors, such as for a region that the id names, are not applied.
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

// AsOf returns the newest VerifiedAt of the rows; the zero time if no row has one.
func (l *List) AsOf() time.Time {
	var newest time.Time
	for _, list := range l.lists() {
		if at := list.AsOf(); at.After(newest) {
			newest = at
		}
	}
	return newest
}

// lists returns all lists, first those that take precedence.
func (l *List) lists() []*pricelist.List {
	lists := []*pricelist.List{l.own.list}
	for _, p := range slices.Sorted(maps.Keys(l.live)) {
		lists = append(lists, l.live[p].list)
	}
	return append(lists, l.table)
}

// modelRows are the rows of a model; nil where a list does not have it.
type modelRows struct{ own, live, listed []pricelist.Row }

// inForce returns the rows that price a call, and reports whether they are the caller's own.
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

// find returns the rows of a model under any spelling of its id. An id that the table has is found without rewriting it, which
// takes longer; lists of other rows have them under the ids of the table, too.
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

// lookupNames returns the names under which a model is looked up, best first. A build that is not listed is not its model,
// which may have another price; only the builds of Claude are known to cost the same.
func lookupNames(p models.Provider, model string) []string {
	rules := modelid.RulesOf(p)
	names := append([]string{model}, rules.Spellings(model)...)
	switch plainest := modelid.Last(names); {
	case p == models.Anthropic:
		names = append(names, rules.Normalize(model))
	case p == models.OpenAI:
		names = append(names, modelid.WithoutDeployment(plainest))
	}
	return names
}

// firstRows returns the rows of the first name that the list has.
func firstRows(list *pricelist.List, p models.Provider, names []string) []pricelist.Row {
	for _, name := range names {
		if rows := list.Model(string(p), name); rows != nil {
			return rows
		}
	}
	return nil
}

// namedRows returns a list of rows that also has them under the plainest spelling of their ids, and under each id of the table
// that names the same model.
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

// Platform is who bills a call if that is not the developer of the model. "" is the developer's own API.
type Platform string

// The platforms whose prices are known, as far as docs/providers.md lists them.
const (
	// PlatformOpenRouter is OpenRouter, which states the charge of each call (Usage.ChargedUSD).
	PlatformOpenRouter Platform = "openrouter"
	// PlatformBedrock is Amazon Bedrock.
	PlatformBedrock Platform = "bedrock"
	// PlatformVertex is Google Cloud's Vertex AI.
	PlatformVertex Platform = "vertex"
	// PlatformAzure is Azure OpenAI and Microsoft Foundry.
	PlatformAzure Platform = "azure"
)

// charges reports whether a charge in a response is what the platform bills. On others it is the developer's own price, as in the usage
// of Grok on Azure.
func (p Platform) charges() bool { return p == "" || p == PlatformOpenRouter }

// place returns where the call was made.
func (c *Call) place() pricelist.Place {
	return pricelist.Place{Platform: string(c.Platform), Region: strings.ToLower(c.Region), Profile: strings.ToLower(c.Profile)}
}

// providerName returns the name of a provider: one of the five in its own spelling, or any name of 1 to 64 lower-case letters, digits,
// dots and hyphens.
func providerName(p models.Provider, field string) (models.Provider, error) {
	if known := modelid.Lookup(p); known != nil {
		return models.Provider(known.ID), nil
	}
	if !modelid.IsName(string(p)) {
		return "", invalid(field, string(p), modelid.UnknownName())
	}
	return p, nil
}

// Fee is what one use of a tool costs besides its tokens. It is a list price: the free allowance that an account has for a day
// or a month is not known to a single call.
type Fee struct {
	Provider models.Provider `json:"provider"`
	// What is the tool, as in [Usage].Requests.
	What string `json:"what"`
	// Unit is what is billed: each "request", "query", "source" or "container", or the "prompt", at most once for each call.
	Unit string `json:"unit"`
	// Models are the ids that the fee is for, or beginnings of ids that end in "*". Of several fees for a model, that with the
	// longest matching pattern is used.
	Models []string `json:"models"`
	// USDPerRequest is the fee as a decimal. "0" is free, and "" is not known.
	USDPerRequest USD `json:"usd_per_request"`
	// ValidFrom is the beginning of the fee and ValidUntil the end, which is exclusive, as in [Row].
	ValidFrom  *string `json:"valid_from"`
	ValidUntil *string `json:"valid_until"`
	// Source names who lists the fee.
	Source string `json:"source"`
	// VerifiedAt is the date on which Source was read; nil if unknown.
	VerifiedAt *string `json:"verified_at"`
}

// Fees returns the fees of a provider for uses of its tools, or the fees of all providers for "". A use of any other tool has no
// known cost. An empty list of prices has no fees.
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

// chargedBy returns the terms of the list. A list without a table has no fees.
func (l *List) chargedBy() *pricelist.Terms {
	if l.terms == nil {
		return withoutFees()
	}
	return l.terms
}

var withoutFees = sync.OnceValue(func() *pricelist.Terms { return BuiltIn().terms.WithoutFees() })

func feeOf(f *pricelist.Fee) Fee {
	fee := Fee{
		Provider: models.Provider(f.Provider), What: f.What, Unit: f.Unit, Models: slices.Clone(f.Models), Source: f.Source,
		ValidFrom: ptr.Of(pricelist.FormatTime(f.From)), ValidUntil: ptr.Of(pricelist.FormatTime(f.Until)), VerifiedAt: ptr.Of(f.VerifiedAt),
	}
	if f.USD != nil {
		fee.USDPerRequest = USD(f.USD.String())
	}
	return fee
}

// ValueError reports an invalid argument. Its fields are Field, the Go name of the argument, or of the field in it;
// Value, the argument, or "" if it could be a secret; and Reason, what it must be. The text of the error has all three. It matches
// client.ErrMesh. It is the type that packages client and discovery have under the same name.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("prices", field, value, reason) }
