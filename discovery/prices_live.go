package discovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/gen/xai"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// LivePrices returns base with the prices that Google (Gemini) and xAI publish now, which precede the prices of its table. A nil base
// is [prices.BuiltIn]. The result is never nil.
//
// A live row prices calls within 24 hours of the time it was read (VerifiedAt), unless the table has a change of the price in
// between; ValidFrom and ValidUntil are that period. So a program that runs for long calls LivePrices again: the provider's list
// is cached for 24 hours. Your own prices in base ([prices.List.With]) still take precedence.
//
// The lists are read with the keys of [ServiceCloudBilling] and [ServiceXAI]. Without a key a list is not read, and that is not a
// [Failure]. A list that cannot be read is one, and the rows of base stay; with [WithStrictErrors] the error is returned beside
// the list.
//
// The Source of a live row is [SourceCloudBilling] or [SourceLanguageModels]. Google's SKUs are matched to the ids of base; the
// models that base does not have are listed under the names of the SKUs. Google truncates prices to billionths of a dollar per
// token, so where table and live list differ by less than 0.001 USD per million tokens, the live row has the price of the table.
func (c *Client) LivePrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	base = cmp.Or(base, prices.BuiltIn())
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	list := base
	var errs []error
	for _, source := range liveLists {
		with, failure := c.withLive(ctx, source, base, list)
		if failure != nil {
			errs = append(errs, c.report(ctx, failure))
			continue
		}
		list = with
	}
	return list, errors.Join(errs...)
}

// liveList is a service that publishes the prices of a provider.
type liveList struct {
	service Service
	read    func(*Client, context.Context, request, *prices.List) (prices.Live, *Failure)
}

var liveLists = []liveList{
	{ServiceCloudBilling, (*Client).liveGemini},
	{ServiceXAI, (*Client).liveXAI},
}

// withLive returns list with the prices of one source; list itself without a key.
func (c *Client) withLive(ctx context.Context, source liveList, base, list *prices.List) (*prices.List, *Failure) {
	r, failure := c.listRequest(ctx, "LivePrices", source.service)
	if failure != nil || r == nil {
		return list, failure
	}
	live, failure := source.read(c, ctx, *r, base)
	if failure != nil {
		return nil, failure
	}
	with, err := list.WithLive(live)
	if err != nil { // a price above the limit
		return nil, r.undecodable(err)
	}
	return with, nil
}

// liveGemini returns Google's prices under the ids of base, and those of other models under the names of their SKUs.
func (c *Client) liveGemini(ctx context.Context, r request, base *prices.List) (live prices.Live, failure *Failure) {
	sent, failure := c.geminiPrices(ctx, r, PricingOptions{})
	if failure != nil {
		return live, failure
	}
	skus := geminiLive{sent.prices, sent.verifiedAt()}
	live = prices.Live{Provider: models.Gemini, ReadAt: skus.readAt}
	listed := make(map[string]bool) // names of SKUs
	for _, id := range base.Models(models.Gemini) {
		live.Rows = append(live.Rows, skus.rows(id, listed)...)
	}
	for _, name := range skus.list.Models() {
		if !listed[name] {
			live.Rows = append(live.Rows, skus.rows(name, listed)...)
		}
	}
	live.Find = func(model string) []prices.Row { return skus.rows(model, nil) }
	return live, nil
}

// geminiLive has Google's SKUs as they were read at one time.
type geminiLive struct {
	list   *geminisku.List
	readAt time.Time
}

// rows returns the standard text prices of a Gemini model, a row for each tier; nil when the list has no such model, or the
// name is ambiguous. A tier whose price is not understood is a row without prices. The SKUs that are used are marked in seen.
func (live geminiLive) rows(model string, seen map[string]bool) []prices.Row {
	tiers, names := live.list.Tiers(geminisku.Words(model))
	for name := range names {
		if seen != nil {
			seen[name] = true
		}
	}
	readAt := live.readAt.Format(time.RFC3339)
	rows := make([]prices.Row, len(tiers))
	for i, tier := range tiers {
		rows[i] = prices.Row{
			Provider: models.Gemini, ModelHint: model, Source: SourceCloudBilling, VerifiedAt: readAt,
			InputPerMTok: priceText(tier.Input), OutputPerMTok: priceText(tier.Output), CacheReadPerMTok: priceText(tier.CacheRead),
		}
		if tier.Threshold > 0 { // a round figure, above which the prices hold
			rows[i].TierThresholdTokens = tier.Threshold + 1
		}
	}
	return rows
}

// liveXAI returns xAI's prices under its own ids and aliases.
func (c *Client) liveXAI(ctx context.Context, r request, _ *prices.List) (prices.Live, *Failure) {
	sent, failure := readListing(ctx, c, &c.xai, r, PricingOptions{}, func(ctx context.Context, _ []xai.LanguageModel) ([]xai.LanguageModel, *Failure) {
		sent, failure := fetch[xai.LanguageModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.xai.ListLanguageModels(ctx, bearer(r.key))
		})
		return sent.Models, failure
	})
	return prices.Live{Provider: models.XAI, ReadAt: sent.verifiedAt(), Rows: xaiRows(sent.prices, sent.verifiedAt())}, failure
}

// xaiRows returns the text prices of xAI's models, under their ids and aliases. A model without both prices of text has no
// row: those of images are listed with 0. An id that is listed twice has the prices of its first model.
func xaiRows(list []xai.LanguageModel, readAt time.Time) []prices.Row {
	var rows []prices.Row
	listed := make(map[string]bool)
	for _, m := range list {
		if m.GetPromptTextTokenPrice() <= 0 || m.GetCompletionTextTokenPrice() <= 0 {
			continue
		}
		base := prices.Row{
			Provider: models.XAI, Source: SourceLanguageModels, VerifiedAt: readAt.Format(time.RFC3339),
			InputPerMTok: xaiPrice(m.GetPromptTextTokenPrice()), CacheReadPerMTok: xaiPrice(m.GetCachedPromptTextTokenPrice()),
			OutputPerMTok: xaiPrice(m.GetCompletionTextTokenPrice()),
		}
		long := base
		long.TierThresholdTokens = m.GetLongContextThreshold()
		long.InputPerMTok, long.CacheReadPerMTok = xaiPrice(m.GetPromptTextTokenPriceLongContext()), xaiPrice(m.GetCachedPromptTextTokenPriceLongContext())
		long.OutputPerMTok = xaiPrice(m.GetCompletionTextTokenPriceLongContext())
		for _, id := range append([]string{m.ID}, m.Aliases...) {
			if listed[id] {
				continue
			}
			listed[id], base.ModelHint, long.ModelHint = true, id, id
			rows = append(rows, base)
			if long.TierThresholdTokens > 0 {
				rows = append(rows, long)
			}
		}
	}
	return rows
}

// xaiPrice reads a price in cents per 100 million tokens. 0 is what xAI lists where there is no price.
func xaiPrice(cents int64) string {
	if cents <= 0 {
		return ""
	}
	const places = 4 // to dollars, and to one million
	return decimal.New(cents, places).String()
}

const (
	opUpdatePrices  = "UpdatePrices"
	opConfirmPrices = "ConfirmPrices"
)

// priceTable is the price table as it was received.
type priceTable struct{ csv, etag string }

// UpdatePrices returns base with the newest reviewed table of this project instead of its own, so that prices change without a
// new version of the program. A nil base is [prices.BuiltIn]. The result is never nil.
//
// It sends one request to [ServicePrices], without a key, at most once in 24 hours for each client; after a failure again when
// [WithOutageTTL] has passed. The request has the ETag of the last table, also of one that [prices.Load] read. The default address
// is the file in the repository of this project; [WithBaseURL] sets the address of a copy, to which /prices.csv is appended. Nothing
// else of this package requests the table; [Client.ConfirmPrices] requests the days on which its rows were confirmed.
//
// The table contains the prices of tokens. Fees, factors of modes and hours of DeepSeek stay as in this version. Rows of
// [prices.List.With] and of [Client.LivePrices] in base stay and precede it. The Source of a row of the new table ends with the
// date of the table.
//
// A table that cannot be read, with a malformed line, verified later than tomorrow in UTC, whose newest verification is older than that of
// base, or with prices for less than nine tenths of its models is a [Failure], and base is returned; with [WithStrictErrors] the
// error is returned beside it.
func (c *Client) UpdatePrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	base = cmp.Or(base, prices.BuiltIn())
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	r := newRequest(opUpdatePrices, ServicePrices, Secret{}, listTimeout)
	sent, failure := readListing(ctx, c, &c.tables, r, PricingOptions{}, func(ctx context.Context, last priceTable) (priceTable, *Failure) {
		return c.readPrices(ctx, r, base, last)
	})
	if failure != nil {
		return base, c.report(ctx, failure)
	}
	list, err := base.WithTable(sent.prices.csv, sent.prices.etag)
	if err != nil {
		return base, c.report(ctx, r.unfit(err))
	}
	return list, nil
}

// readPrices requests the table, with the ETag of the last one, else of base.
func (c *Client) readPrices(ctx context.Context, r request, base *prices.List, last priceTable) (priceTable, *Failure) {
	if last.csv == "" {
		last.csv, last.etag = base.Table()
	}
	resp, err := c.getPrices(ctx, r, "/prices.csv", last.etag)
	switch {
	case err != nil && err.Status == http.StatusNotModified && last.etag != "":
		return last, nil
	case err != nil:
		return last, r.failed(err)
	}
	table := priceTable{string(resp.Body), resp.Header.Get("ETag")}
	if _, err := base.WithTable(table.csv, table.etag); err != nil {
		return last, r.unfit(err)
	}
	return table, nil
}

// getPrices requests a file of the price table.
func (c *Client) getPrices(ctx context.Context, r request, path, etag string) (call.Response, *call.Error) {
	return call.Do(ctx, call.Limits{Timeout: r.timeout, MaxBytes: c.maxBytes}, func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL(ServicePrices)+path, http.NoBody)
		if err != nil {
			return nil, err
		}
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		return userAgent{c.http}.Do(req)
	})
}

// ConfirmPrices returns base with the days on which public price feeds last stated the rows of its table; see
// [prices.List.WithConfirmed]. A nightly job of this project keeps them. Call it with the result of UpdatePrices. A nil base is
// [prices.BuiltIn]. The result is never nil.
//
// It sends one request to [ServicePrices], without a key, for /confirmed.csv. A response that cannot be read or does not fit base is a
// [Failure], and base is returned; with [WithStrictErrors] the error is returned beside it.
func (c *Client) ConfirmPrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	base = cmp.Or(base, prices.BuiltIn())
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	r := newRequest(opConfirmPrices, ServicePrices, Secret{}, listTimeout)
	resp, failed := c.getPrices(ctx, r, "/confirmed.csv", "")
	if failed != nil {
		return base, c.report(ctx, r.failed(failed))
	}
	list, err := base.WithConfirmed(string(resp.Body))
	if err != nil {
		return base, c.report(ctx, r.unfit(err))
	}
	return list, nil
}

// unfit returns the Failure of a table that does not replace another one.
func (r request) unfit(err error) *Failure {
	var damaged *ValueError
	if errors.As(err, &damaged) {
		return r.undecodable(fmt.Errorf("the table %s", damaged.Reason))
	}
	return r.partial(err)
}
