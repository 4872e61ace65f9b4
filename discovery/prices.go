package discovery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

const opPrices = "Prices"

// Prices returns the rows from which [Client.CostOf] computes costs of a model: your own rows ([WithPrices]), also those not
// in force; else the rows of the provider's live price list; else those of the built-in table ([ListPrices]) for all periods and
// tiers. The Source of each row names its origin.
//
// Gemini and xAI have live lists, which are read once in 24 hours with the keys of [ServiceCloudBilling] and [ServiceXAI].
// Without a key the list is not read, and that is not a Failure. The Source of a live row is [SourceCloudBilling] or
// [SourceLanguageModels]. Google truncates prices to billionths of a dollar per token, so where table and live list differ by
// less than 0.001 USD per million tokens, the live row has the price of the table. The thresholds of live Gemini rows are the
// round numbers of Google's descriptions; such a row applies to prompts above its threshold.
//
// For a model without a row the list is empty, and a [Failure] is reported. An unknown provider and an empty model are a
// [*ValueError].
func (c *Client) Prices(ctx context.Context, p Provider, model string) ([]ProviderPricing, error) {
	p, err := checkModel(p, model)
	if err != nil {
		return nil, err
	}
	own, listed := c.rows(p, model)
	if own != nil {
		return c.own.pricings(own), nil
	}
	live, err := c.liveRows(ctx, opPrices, p, model, time.Now(), listed)
	switch {
	case live != nil:
		return livePricings(live), err
	case listed != nil:
		return pricingsOf(listed), err
	}
	return []ProviderPricing{}, c.report(ctx, unknownCost(opPrices, p, model, errNotListed))
}

// checkModel returns the provider in its own spelling.
func checkModel(p Provider, model string) (Provider, error) {
	known, err := ParseProvider(string(p))
	if err == nil && strings.TrimSpace(model) == "" {
		err = &ValueError{Field: "model", Reason: "is empty"}
	}
	return known, err
}

// rows returns the rows of a model that the caller gave and those of the built-in table. An id that the table has is found
// without rewriting it, which takes longer.
func (c *Client) rows(p Provider, model string) (own, listed []pricelist.Row) {
	own, listed = c.own.list.Model(string(p), model), pricelist.Builtin().Model(string(p), model)
	if listed != nil {
		return own, listed
	}
	if c.own.list != nil {
		own = findRows(c.own.list, p, model)
	}
	if dialect(p).Resold(model) {
		return own, nil
	}
	return own, findRows(pricelist.Builtin(), p, model)
}

var errNotListed = &pricelist.UnknownError{Missing: "model", Why: "is not in the price list"}

// unknownCost returns the Failure of a cost that is not known. It shows the model, unless that could be a key that was pasted
// into the wrong place.
func unknownCost(operation string, p Provider, model string, err error) *Failure {
	shown := "the model"
	if showable(model) != "" {
		shown += " " + model
	}
	var unknown *pricelist.UnknownError
	if errors.As(err, &unknown) {
		err = fmt.Errorf("the cost is not known: %s: %s %s", unknown.Missing, shown, unknown.Why)
	}
	return &Failure{Operation: operation, Provider: p, Reason: ReasonPartial, Err: err}
}

// ListPrices returns the built-in price table of a provider: every model, period and tier. Models without a known price have a
// row whose prices are all nil. For an unknown provider the list is empty.
//
// A price is in the table if the provider's own page has it or two independent sources agree; Source names them. Only the
// prices of claude-2.0, and of claude-sonnet-5-5 before 2026-10-07, have a single source.
//
// A row with a TierThresholdTokens of N prices the whole request if the prompt has N or more tokens. DeepSeek's prices from
// 2026-08-17 on are peak prices: [Client.CostOf] halves them at other hours.
func ListPrices(p Provider) []ProviderPricing {
	p = p.canonical()
	return pricingsOf(slices.DeleteFunc(slices.Clone(pricelist.Builtin().Rows()), func(r pricelist.Row) bool { return r.Provider != string(p) }))
}

// PricingForAnthropicModel returns today's list price of an Anthropic model from the built-in table, and reports whether the
// table has the model. Source and VerifiedAt name the source of the price and its date; RawPricing and the cache fields have
// the prices of the cache.
//
// The id is looked up unchanged, then in lower case without vendor prefix and platform suffix, then without its build
// ([NormalizeModelID]), because a build of Claude has the price of its model. The price is that of a standard request to
// Anthropic, even if the prefix names another platform. Variants with -fast are not in the table.
//
// The price of claude-haiku-5-5 depends on the length of the prompt (input, cache reads and cache writes together). Its row is
// the one for up to 100,000 tokens. [ListAnthropicPricing] has the row for longer prompts under the same ModelHint; [PriceAt]
// chooses between them.
func PricingForAnthropicModel(id string) (*ProviderPricing, bool) {
	list := pricelist.Builtin()
	rows := findRows(list, Anthropic, id)
	if len(rows) > 0 && rows[0].SameAs != "" {
		rows = list.Model(string(Anthropic), rows[0].SameAs)
	}
	row, _ := pricelist.InForce(rows, time.Now(), 0)
	if row == nil || !row.Priced() {
		return nil, false
	}
	pricing := pricingOf(row)
	return &pricing, true
}

// ListAnthropicPricing returns the rows of the built-in table for Anthropic that are in force today: one for each priced id, or
// two if the price depends on the length of the prompt, the row for shorter prompts first. [ListPrices] returns all periods.
func ListAnthropicPricing() []ProviderPricing {
	today := pricelist.DayOf(time.Now())
	rows := slices.DeleteFunc(slices.Clone(pricelist.Builtin().Rows()), func(r pricelist.Row) bool {
		return r.Provider != string(Anthropic) || r.SameAs != "" || !r.Priced() || !r.ValidOn(today)
	})
	return pricingsOf(rows)
}

// findRows returns the rows of a model under any spelling of its id. A build that is not listed is not its model, which may
// have another price; only the builds of Claude are known to cost the same.
func findRows(list *pricelist.List, p Provider, id string) []pricelist.Row {
	if rows := list.Model(string(p), id); rows != nil {
		return rows
	}
	rules := dialect(p)
	for _, name := range rules.Spellings(id) {
		if rows := list.Model(string(p), name); rows != nil {
			return rows
		}
	}
	if p == Anthropic {
		return list.Model(string(p), rules.Normalize(id))
	}
	return nil
}

// ownPrices are the rows of WithPrices: as they were given, and as CostOf reads them.
type ownPrices struct {
	given []ProviderPricing
	list  *pricelist.List
}

// WithPrices adds your own prices, which take precedence over all others: those of a contract, of a fine-tuned model or of a
// new one. A row applies to the model of its ModelHint in any spelling, from ValidFrom until ValidUntil, and to prompts of
// TierThresholdTokens or more. A build needs its own row, except a build of Claude. Of several rows that apply, the one with
// the highest threshold is used, and among equal ones the first. On other days the model has its listed price. No factor is
// applied: a batch or another mode needs a row with that Mode. A price is read as its shortest decimal, and a nil price is
// unknown.
//
// It panics with a [*ValueError] if a row has an unknown Provider, no ModelHint, a negative or infinite price, a negative
// threshold or an invalid date.
func WithPrices(rows ...ProviderPricing) Option {
	for i := range rows {
		if err := checkPrices(&rows[i]); err != nil {
			panic(err)
		}
	}
	given := make([]ProviderPricing, len(rows))
	for i := range rows {
		given[i] = rows[i].clone()
	}
	return func(c *Client) { c.own = newOwnPrices(append(slices.Clone(c.own.given), given...)) }
}

func checkPrices(p *ProviderPricing) error {
	if _, err := ParseProvider(string(p.Provider)); err != nil {
		return err
	}
	for _, usd := range []*float64{p.InputPerMTok, p.OutputPerMTok, p.CacheReadPerMTok, p.CacheWrite5mPerMTok, p.CacheWrite1hPerMTok} {
		if usd != nil && !(*usd >= 0 && *usd <= math.MaxFloat64) {
			return &ValueError{Field: "price", Value: strconv.FormatFloat(*usd, 'g', -1, 64), Reason: "must be 0 or more, and finite"}
		}
	}
	for _, date := range []*string{p.ValidFrom, p.ValidUntil} {
		if _, err := time.Parse(time.DateOnly, deref(date)); date != nil && err != nil {
			return &ValueError{Field: "price date", Value: showable(*date), Reason: "must be a date such as 2026-12-01"}
		}
	}
	switch {
	case strings.TrimSpace(p.ModelHint) == "":
		return &ValueError{Field: "model hint of a price", Reason: "is empty"}
	case p.TierThresholdTokens < 0:
		return &ValueError{Field: "tier threshold", Value: strconv.FormatInt(p.TierThresholdTokens, 10), Reason: "must not be negative"}
	case p.ValidFrom != nil && p.ValidUntil != nil && *p.ValidFrom >= *p.ValidUntil:
		return &ValueError{Field: "price date", Value: *p.ValidUntil, Reason: "must be after the first day of the price"}
	}
	return nil
}

// sourceOwn is the Source of rows of WithPrices without a Source.
const sourceOwn = "the caller's own price"

func newOwnPrices(given []ProviderPricing) ownPrices {
	rows := make([]pricelist.Row, len(given))
	for i := range given {
		p := &given[i]
		p.Provider, p.ModelHint = p.Provider.canonical(), strings.TrimSpace(p.ModelHint)
		if p.Source == "" {
			p.Source = sourceOwn
		}
		rows[i] = pricelist.Row{
			Provider: string(p.Provider), Model: p.ModelHint, Mode: usage.Mode(p.Mode, ""), Above: max(p.TierThresholdTokens-1, 0),
			Input: pricelist.FromFloat(p.InputPerMTok), Output: pricelist.FromFloat(p.OutputPerMTok),
			CacheRead: pricelist.FromFloat(p.CacheReadPerMTok), CacheWrite5m: pricelist.FromFloat(p.CacheWrite5mPerMTok),
			CacheWrite1h: pricelist.FromFloat(p.CacheWrite1hPerMTok),
			ValidFrom:    deref(p.ValidFrom), ValidUntil: deref(p.ValidUntil), Source: p.Source, VerifiedAt: deref(p.VerifiedAt),
		}
	}
	return ownPrices{given: given, list: namedPrices(rows)}
}

// namedPrices returns a list of the caller's rows that also has them under the plainest spelling of their ids, and under each id
// of the built-in table that names the same model: an id of the table is looked up without rewriting it.
func namedPrices(rows []pricelist.Row) *pricelist.List {
	list := pricelist.New(rows)
	for _, r := range rows {
		plainest := modelid.Last(dialect(Provider(r.Provider)).Spellings(r.Model))
		list.AddName(r.Provider, plainest, list.Model(r.Provider, r.Model))
	}
	for _, r := range pricelist.Builtin().Rows() {
		list.AddName(r.Provider, r.Model, findRows(list, Provider(r.Provider), r.Model))
	}
	return list
}

// pricings returns rows of the list as they were given.
func (o ownPrices) pricings(rows []pricelist.Row) []ProviderPricing {
	pricings := make([]ProviderPricing, len(rows))
	for i := range rows {
		pricings[i] = o.given[rows[i].Index].clone()
	}
	return pricings
}
