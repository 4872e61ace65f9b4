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

// LivePrices returns base with the prices that Google (Gemini) and xAI publish now, which
// take precedence over its table. A nil base means [prices.BuiltIn]. The result is never
// nil.
//
// The lists are read with the keys for [ServiceCloudBilling] and [ServiceXAI]. If a key
// isn't set, that list is skipped. If a list can't be read, that's a [Failure], and
// base's rows stay. With [WithStrictErrors], LivePrices returns the list and the error.
//
// # Validity
//
// A live row prices calls within 24 hours of the time it was read (VerifiedAt), unless
// the table changes the price in between. ValidFrom and ValidUntil give that period. So
// in a long-running program, call LivePrices again: the provider's list is cached for 24
// hours. Your own prices in base ([prices.List.With]) still take precedence.
//
// # Rows
//
// A live row's Source is [SourceCloudBilling] or [SourceLanguageModels]. Google's SKUs
// are matched to ids in base. Models that base doesn't have are listed under their SKU
// names. Google truncates prices to billionths of a dollar per token. So if table and
// live list differ by less than 0.001 USD per million tokens, the live row has the
// table's price.
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

// liveList is a service that publishes a provider's prices.
type liveList struct {
	service Service
	read    func(*Client, context.Context, request, *prices.List) (prices.Live, *Failure)
}

var liveLists = []liveList{
	{ServiceCloudBilling, (*Client).liveGemini},
	{ServiceXAI, (*Client).liveXAI},
}

// withLive adds one source's prices to list. If the key isn't set, it returns list.
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
	if err != nil { // a price exceeds the limit
		return nil, r.undecodable(err)
	}
	return with, nil
}

// liveGemini returns Google's prices under base's ids, and other models under their SKU
// names.
func (c *Client) liveGemini(ctx context.Context, r request, base *prices.List) (live prices.Live, failure *Failure) {
	sent, failure := c.geminiPrices(ctx, r, PricingOptions{})
	if failure != nil {
		return live, failure
	}
	skus := geminiLive{sent.prices, sent.verifiedAt()}
	live = prices.Live{Provider: models.Gemini, ReadAt: skus.readAt}
	listed := make(map[string]bool) // SKU names
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

// geminiLive has Google's SKUs at one time.
type geminiLive struct {
	list   *geminisku.List
	readAt time.Time
}

// rows returns a Gemini model's standard text prices, one row per tier, or nil if the
// model is unknown or the name ambiguous. If a tier's price isn't understood, its row has
// no prices. Used SKUs are marked in seen.
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
		if tier.Threshold > 0 { // a round number, above which the prices apply
			rows[i].TierThresholdTokens = tier.Threshold + 1
		}
	}
	return rows
}

func (c *Client) liveXAI(ctx context.Context, r request, _ *prices.List) (prices.Live, *Failure) {
	sent, failure := readListing(ctx, c, &c.xai, r, PricingOptions{}, func(ctx context.Context, _ []xai.LanguageModel) ([]xai.LanguageModel, *Failure) {
		sent, failure := fetch[xai.LanguageModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.xai.ListLanguageModels(ctx, bearer(r.key))
		})
		return sent.Models, failure
	})
	return prices.Live{Provider: models.XAI, ReadAt: sent.verifiedAt(), Rows: xaiRows(sent.prices, sent.verifiedAt())}, failure
}

// xaiRows returns text prices under the models' ids and aliases. A model needs both text
// prices to have rows: image models list them as 0. If an id is listed twice, the first
// model's prices apply.
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

// xaiPrice converts cents per 100 million tokens. xAI lists 0 where there is no price.
func xaiPrice(cents int64) string {
	if cents <= 0 {
		return ""
	}
	const places = 4 // cents to dollars, and 100 million to one million
	return decimal.New(cents, places).String()
}

const (
	opUpdatePrices  = "UpdatePrices"
	opConfirmPrices = "ConfirmPrices"
)

// priceTable is the price table as received.
type priceTable struct{ csv, etag string }

// UpdatePrices returns base with this project's newest reviewed table, so that prices
// change without a new version of the program. A nil base means [prices.BuiltIn]. The
// result is never nil.
//
// If the table is unsuitable, that's a [Failure], and UpdatePrices returns base. With
// [WithStrictErrors], it returns base and the error. A table is unsuitable if
//
//   - it can't be read, or has a malformed line
//   - it was verified later than tomorrow in UTC, or before base's newest verification
//   - it has prices for less than nine tenths of its models
//
// # Requests
//
// UpdatePrices sends one request to [ServicePrices], without a key, at most once in 24
// hours per client. After a failure it tries again once [WithOutageTTL] has passed. The
// request has the last table's ETag, even if [prices.Load] read the table.
//
// By default, it reads the file in this project's repository. To use a copy, set its
// address with [WithBaseURL]: /prices.csv is appended. Nothing else in this package
// requests the table. [Client.ConfirmPrices] requests the days on which its rows were
// confirmed.
//
// # Rows
//
// The table contains token prices. Fees, mode factors and DeepSeek's hours stay as in
// this version. Rows in base from [prices.List.With] and [Client.LivePrices] stay and
// take precedence. The Source of a row from the new table ends with the table's date.
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

// readPrices sends the ETag of the last table, or else base's.
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

// ConfirmPrices returns base with the days on which public price feeds last stated its
// table's rows; see [prices.List.WithConfirmed]. This project updates these days every
// night. A nil base means [prices.BuiltIn]. The result is never nil. Call it with the
// result of UpdatePrices.
//
// It sends one request to [ServicePrices], without a key, for /confirmed.csv. If the
// response can't be read or doesn't fit base, that's a [Failure], and ConfirmPrices
// returns base. With [WithStrictErrors], it returns base and the error.
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

// unfit returns the Failure for a table that doesn't replace the previous one.
func (r request) unfit(err error) *Failure {
	var damaged *ValueError
	if errors.As(err, &damaged) {
		return r.undecodable(fmt.Errorf("the table %s", damaged.Reason))
	}
	return r.partial(err)
}
