package discovery

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/gen/xai"
)

// SourceLanguageModels is the Source of prices from xAI's GET /v1/language-models.
const SourceLanguageModels = "language-models"

// livePrices is the live price list of one provider, as one key sees it. It is read-only once made, except for reported.
type livePrices struct {
	// rows returns the rows of a model; nil if the list could not be read.
	rows   func(model string) []pricelist.Row
	readAt time.Time
	// failure is why the list could not be read. The first caller reports it: a failure handler may call the client, and must not
	// run in the shared request, which that call would wait for.
	failure  *Failure
	reported atomic.Bool
}

// liveLists are the services that list prices, by provider, and the functions that read them.
var liveLists = map[Provider]struct {
	service Service
	read    func(*Client, context.Context, request) *livePrices
}{
	Gemini: {ServiceCloudBilling, (*Client).readGeminiPrices},
	XAI:    {ServiceXAI, (*Client).readXAIPrices},
}

// liveRows returns the rows of a model on the live price list, nil when there is no such list, no key, or no such model. A
// live list is of the present: it counts for calls within 24 hours of its reading, unless the built-in table has another
// price between the two. err is a failure to read the list, for a strict client.
func (c *Client) liveRows(ctx context.Context, operation string, p Provider, model string, at time.Time, listed []pricelist.Row) (rows []pricelist.Row, err error) {
	list, ok := liveLists[p]
	if !ok || !near(at, time.Now()) || !c.mayHaveKey(list.service) || (listed == nil && dialect(p).Resold(model)) {
		return nil, nil
	}
	key, err := c.key(ctx, list.service, "")
	r := newRequest(operation, list.service, key, listTimeout)
	switch {
	case errors.Is(err, errNoKey):
		return nil, nil
	case err != nil:
		return nil, c.report(ctx, r.missingKey(err))
	}
	live, err := c.livePrices(ctx, r, list.read)
	if live == nil || live.failure != nil || !near(at, live.readAt) || !samePeriods(listed, at, live.readAt) {
		return nil, err
	}
	return settledBy(listed, live.rows(model), live.readAt), err
}

// near reports whether two times are less than the life of a price list apart.
func near(a, b time.Time) bool { return a.Sub(b).Abs() < DefaultPricingTTL }

// mayHaveKey reports whether a key function or the environment may have a key of the service. It allocates nothing.
func (c *Client) mayHaveKey(service Service) bool {
	if c.keys[service] != nil {
		return true
	}
	_, row := lookupService(service)
	return slices.ContainsFunc(row.keyNames, func(name string) bool { return os.Getenv(name) != "" })
}

// livePrices returns the live list from the cache, or reads it. A failure is remembered for the outage TTL.
func (c *Client) livePrices(ctx context.Context, r request, read func(*Client, context.Context, request) *livePrices) (*livePrices, error) {
	fresh := func(l *livePrices, _ time.Time) bool {
		age := time.Since(l.readAt)
		return age < DefaultPricingTTL && (l.failure == nil || age < c.outageTTL)
	}
	value := c.live.Value(priceKeyOf(r.provider, r.key))
	if live, ok := value.Cached(fresh); ok {
		return live, nil
	}
	live, _, err := value.Get(ctx, fresh, func(ctx context.Context) (*livePrices, error) { return read(c, ctx, r), nil })
	switch {
	case err != nil:
		return nil, c.report(ctx, r.interrupted(err))
	case live.failure == nil:
		return live, nil
	case live.reported.CompareAndSwap(false, true):
		return live, c.report(ctx, live.failure)
	}
	return live, c.strictError(live.failure)
}

func (c *Client) readGeminiPrices(ctx context.Context, r request) *livePrices {
	list, failure := c.geminiPrices(ctx, r.operation, PricingOptions{APIKey: r.key.Reveal()})
	if failure != nil {
		return &livePrices{readAt: time.Now(), failure: failure}
	}
	rows := func(model string) []pricelist.Row { return geminiRows(list, model) }
	return &livePrices{readAt: list.readAt, rows: rows}
}

func (c *Client) readXAIPrices(ctx context.Context, r request) *livePrices {
	sent, failure := fetch[xai.LanguageModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.xai.ListLanguageModels(ctx, bearer(r.key))
	})
	now := time.Now()
	if failure != nil {
		return &livePrices{readAt: now, failure: failure}
	}
	list := pricelist.New(xaiRows(sent.Models, now))
	rows := func(model string) []pricelist.Row { return findRows(list, XAI, model) }
	return &livePrices{readAt: now, rows: rows}
}

// samePeriods reports whether the same rows of the table are in force at two times.
func samePeriods(listed []pricelist.Row, a, b time.Time) bool {
	dayA, dayB := pricelist.DayOf(a), pricelist.DayOf(b)
	return !slices.ContainsFunc(listed, func(r pricelist.Row) bool { return r.ValidOn(dayA) != r.ValidOn(dayB) })
}

// settledBy returns live rows with the prices of the table where the two differ by less than a truncation. A live row that
// agrees with the table takes from there the prices that the live list lacks, and one without a price is that of the table.
// The result is nil when no row has a price.
func settledBy(listed, live []pricelist.Row, at time.Time) []pricelist.Row {
	day, rows := pricelist.DayOf(at), slices.Clone(live)
	for i := range rows {
		for _, row := range listed {
			if row.ValidOn(day) && row.Above == rows[i].Above {
				rows[i].SettleBy(&row)
			}
		}
		if row, _ := pricelist.InForce(listed, at, rows[i].Above+1); !rows[i].Priced() && row != nil && row.Priced() {
			above := rows[i].Above
			rows[i] = *row
			rows[i].Above = above
		}
	}
	if !slices.ContainsFunc(rows, func(r pricelist.Row) bool { return r.Priced() }) {
		return nil
	}
	return append(rows, missingTiers(listed, rows, day)...)
}

// missingTiers returns the rows of the table for long prompts that xAI's live list lacks: its fields for them are optional.
func missingTiers(listed, live []pricelist.Row, day pricelist.Day) (tiers []pricelist.Row) {
	if slices.ContainsFunc(live, func(r pricelist.Row) bool { return r.Above > 0 || r.Source != SourceLanguageModels }) {
		return nil
	}
	for _, row := range listed {
		if row.Above > 0 && row.ValidOn(day) {
			tiers = append(tiers, row)
		}
	}
	return tiers
}

// livePricings returns live rows as callers see them: the thresholds of Gemini are round figures.
func livePricings(rows []pricelist.Row) []ProviderPricing {
	pricings := pricingsOf(rows)
	for i := range rows {
		if rows[i].Source == SourceCloudBilling {
			pricings[i].TierThresholdTokens = rows[i].Above
		}
	}
	return pricings
}

// geminiRows returns the standard text prices of a Gemini model, a row for each tier; nil when the list has no such model, or the
// name is ambiguous. A tier whose price is not understood is a row without prices.
func geminiRows(list *geminiList, model string) []pricelist.Row {
	var rows []pricelist.Row
	for _, tier := range list.Tiers(geminisku.Words(model)) {
		rows = append(rows, pricelist.Row{
			Provider: string(Gemini), Model: model, Above: tier.Threshold, Source: SourceCloudBilling, VerifiedAt: list.verifiedAt(),
			Input: pricelist.FromFloat(tier.Input), Output: pricelist.FromFloat(tier.Output), CacheRead: pricelist.FromFloat(tier.CacheRead),
		})
	}
	return rows
}

// xaiRows returns the text prices of xAI's models, under their ids and aliases. A model without both prices of text has no
// row: those of images are listed with 0.
func xaiRows(models []xai.LanguageModel, readAt time.Time) []pricelist.Row {
	var rows []pricelist.Row
	for _, m := range models {
		if m.GetPromptTextTokenPrice() <= 0 || m.GetCompletionTextTokenPrice() <= 0 {
			continue
		}
		base := pricelist.Row{
			Provider: string(XAI), Source: SourceLanguageModels, VerifiedAt: readAt.UTC().Format(time.RFC3339),
			Input: xaiPrice(m.GetPromptTextTokenPrice()), CacheRead: xaiPrice(m.GetCachedPromptTextTokenPrice()), Output: xaiPrice(m.GetCompletionTextTokenPrice()),
		}
		long := base
		long.Above = m.GetLongContextThreshold() - 1 // the long context begins at the threshold itself
		long.Input, long.CacheRead = xaiPrice(m.GetPromptTextTokenPriceLongContext()), xaiPrice(m.GetCachedPromptTextTokenPriceLongContext())
		long.Output = xaiPrice(m.GetCompletionTextTokenPriceLongContext())
		for _, id := range append([]string{m.ID}, m.Aliases...) {
			base.Model, long.Model = id, id
			rows = append(rows, base)
			if long.Above > 0 {
				rows = append(rows, long)
			}
		}
	}
	return rows
}

// xaiPrice reads a price in cents per 100 million tokens. 0 is what xAI lists where there is no price.
func xaiPrice(cents int64) pricelist.Price {
	if cents <= 0 {
		return pricelist.Price{}
	}
	return pricelist.FromCentsPer100MTok(cents)
}
