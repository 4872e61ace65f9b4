package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

const (
	// maxAnthropicCostLimit is the maximum number of days per page.
	maxAnthropicCostLimit = 31
)

// AnthropicCostQuery selects an Anthropic organization's costs.
type AnthropicCostQuery struct {
	// Start and End (exclusive) are the window. Start is required. A zero End leaves the
	// window open. Costs are per UTC day, and every day that overlaps the window is
	// included completely.
	Start, End time.Time
	// AdminKey defaults to the key from [WithKey], or else ANTHROPIC_ADMIN_KEY.
	AdminKey Secret `json:"-" xml:"-"`
	// GroupBy selects breakdowns: [GroupByWorkspaceID], [GroupByDescription] or both. The
	// default is no breakdown.
	GroupBy []GroupBy
	// Quantities also requests the usage report, whose tokens explain differences to
	// counted calls. It requires [GroupByDescription]. If the report can't be read,
	// that's a [Failure], and the costs have no quantities.
	Quantities bool
	// Limit is the number of days per page, from 1 to 31. 0 means [DefaultCostLimit]. All
	// pages are read, so it changes only the number of requests.
	Limit int
	// Timeout limits the request for each page. 0 means [DefaultCostTimeout]. The whole
	// call is limited by the context.
	Timeout time.Duration
}

// FetchAnthropicCostBuckets returns the costs that Anthropic billed to the organization,
// one bucket per UTC day. Costs appear about five minutes after the calls.
//
// The cost report doesn't include the priority service tier. Individual accounts have no
// admin key. Anthropic supports one request per minute in the long run.
//
// FetchAnthropicCostBuckets returns a [*ValueError] if
//
//   - Start is missing, before 1970, or not before End
//   - a time was made from milliseconds
//   - Limit is outside 1 to 31
//   - a grouping is unknown, repeated or not Anthropic's
//   - Timeout is negative
func (c *Client) FetchAnthropicCostBuckets(ctx context.Context, query AnthropicCostQuery) ([]CostBucket, error) {
	days, err := c.anthropicDays(query)
	return fetchBill(ctx, c, "FetchAnthropicCostBuckets", days, err)
}

func (c *Client) anthropicDays(query AnthropicCostQuery) (dayQuery, error) {
	days := dayQuery{
		provider: models.Anthropic, service: ServiceAnthropicAdmin, key: query.AdminKey,
		start: query.Start.Unix(), groups: query.GroupBy, timeout: query.Timeout,
		startField: "Start", endField: "End",
		formatTime: func(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) },
	}
	if !query.End.IsZero() {
		days.end = query.End.Add(time.Second - 1).Unix() // round up
	}
	switch {
	case !query.End.IsZero() && !query.Start.Before(query.End):
		return days, invalid("Start", query.Start.Format(time.RFC3339), "must be before End")
	case query.Quantities && !slices.Contains(query.GroupBy, GroupByDescription):
		return days, invalid("Quantities", "true", "needs GroupByDescription")
	}
	params := query.params(days.start, days.end)
	days.page = func(ctx context.Context, r request, cursor string) (billing.Page, *Failure) {
		params.Page = ptr.Of(cursor)
		page, failure := fetchAs(ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.anthropicAdmin.ListCosts(ctx, &params, header("x-api-key", r.key.Reveal()))
		}, billing.AnthropicPage)
		if failure == nil && page.Usage {
			return billing.Page{}, r.undecodable(errors.New("the response is a usage report, and not costs"))
		}
		return page, failure
	}
	if query.Quantities {
		days.usage = c.anthropicUsage(params)
	}
	return days, days.check(query.Limit, maxAnthropicCostLimit, GroupByWorkspaceID, GroupByDescription)
}

func (c *Client) anthropicUsage(costs anthropic.ListCostsParams) func(context.Context, request, string) (billing.Page, *Failure) {
	day := anthropic.ListUsageParamsBucketWidthN1D
	params := anthropic.ListUsageParams{
		StartingAt: costs.StartingAt, EndingAt: costs.EndingAt, BucketWidth: &day, Limit: costs.Limit, AnthropicVersion: anthropic.ListUsageParamsAnthropicVersionN20230601,
		GroupBy: []anthropic.ListUsageParamsGroupBy{"model", "service_tier", "context_window", "inference_geo"},
	}
	return func(ctx context.Context, r request, cursor string) (billing.Page, *Failure) {
		params.Page = ptr.Of(cursor)
		return fetchAs(ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.anthropicAdmin.ListUsage(ctx, &params, header("x-api-key", r.key.Reveal()))
		}, billing.AnthropicPage)
	}
}

// params returns the first page's query. The window is sent in whole days, because
// Anthropic omits a day that ends after ending_at. Width and limit are always sent,
// because the defaults may change.
func (q AnthropicCostQuery) params(start, end int64) anthropic.ListCostsParams {
	day, limit := anthropic.ListCostsParamsBucketWidthN1D, int64(cmp.Or(q.Limit, DefaultCostLimit))
	params := anthropic.ListCostsParams{
		StartingAt: time.Unix(start-start%calendar.SecondsPerDay, 0).UTC(), BucketWidth: &day, Limit: &limit,
		AnthropicVersion: anthropic.ListCostsParamsAnthropicVersionN20230601,
	}
	if end != 0 {
		midnight := end + (calendar.SecondsPerDay-end%calendar.SecondsPerDay)%calendar.SecondsPerDay
		at := time.Unix(midnight, 0).UTC()
		params.EndingAt = &at
	}
	for _, group := range q.GroupBy {
		params.GroupBy = append(params.GroupBy, anthropic.ListCostsParamsGroupBy(group))
	}
	return params
}

// anthropicPlace has the fields that identify a model's tokens in both the cost and the
// usage report.
type anthropicPlace struct {
	Model   string `json:"model"`
	Tier    string `json:"service_tier"`
	Context string `json:"context_window"`
	Geo     string `json:"inference_geo"`
}

// plain unifies the two ways in which the reports write an unknown region.
func (p anthropicPlace) plain() anthropicPlace {
	if p.Geo == "not_available" {
		p.Geo = ""
	}
	return p
}

// anthropicCost is a result in a cost report grouped by description.
type anthropicCost struct {
	anthropicPlace
	Amount      string `json:"amount"` // in cents
	Description string `json:"description"`
	Type        string `json:"cost_type"`
	TokenType   string `json:"token_type"`
}

// anthropicUsage is a result in a usage report grouped by everything in anthropicPlace.
type anthropicUsage struct {
	anthropicPlace
	Input     int64 `json:"uncached_input_tokens"`
	CacheRead int64 `json:"cache_read_input_tokens"`
	Output    int64 `json:"output_tokens"`
	Written   struct {
		For5m int64 `json:"ephemeral_5m_input_tokens"`
		For1h int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// anthropicKinds maps token types to kinds.
var anthropicKinds = map[string]string{ //nolint:gosec // names of counts, not credentials
	"uncached_input_tokens": "input", "cache_read_input_tokens": "cache_read", "output_tokens": "output",
	"cache_creation.ephemeral_5m_input_tokens": "cache_write_5m", "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h",
}

// anthropicItems returns line items: one per model, kind of token and place, with the
// tokens from the usage report, and one for each description of other costs. If the
// results aren't grouped by description, it returns nil.
func anthropicItems(results, usage []json.RawMessage) []billedItem {
	type line struct {
		anthropicPlace
		kind, description string
	}
	sums, names := map[line]decimal.Decimal{}, map[line]string{}
	for _, raw := range results {
		var cost anthropicCost
		if json.Unmarshal(raw, &cost) != nil || cost.Description == "" {
			return nil
		}
		cents, err := decimal.Parse(cost.Amount)
		if err != nil {
			return nil
		}
		key := line{cost.plain(), anthropicKinds[cost.TokenType], ""}
		switch {
		case cost.Type != "tokens" && cost.Type != "":
			key.kind, key.description = bills.KindOther, cost.Description
		case key.kind == "":
			key.description = cost.Description
		}
		if names[key] == "" || cost.Description < names[key] {
			names[key] = cost.Description
		}
		sums[key] = sums[key].Add(cents.Shift(2))
	}
	used := anthropicTokens(usage)
	var items []billedItem
	for key, usd := range sums {
		item := billedItem{name: names[key], model: key.Model, kind: key.kind, usd: usd}
		if key.Tier != "" && key.Tier != "standard" {
			item.name += ", " + key.Tier
		}
		if tokens, known := used[key.anthropicPlace][key.kind]; known {
			item.quantity = Quantity{decimal.New(tokens, 0).String(), unitTokens}
		}
		items = append(items, item)
	}
	return items
}

// maxTokens bounds a count in the usage report.
const maxTokens = 1 << 53

// anthropicTokens returns the usage report's tokens by kind, or nil if a count is
// invalid.
func anthropicTokens(results []json.RawMessage) map[anthropicPlace]map[string]int64 {
	all := map[anthropicPlace]map[string]int64{}
	for _, raw := range results {
		var u anthropicUsage
		if json.Unmarshal(raw, &u) != nil {
			return nil
		}
		kinds := all[u.plain()]
		if kinds == nil {
			kinds = map[string]int64{}
			all[u.plain()] = kinds
		}
		for kind, n := range map[string]int64{"input": u.Input, "cache_read": u.CacheRead, "output": u.Output, "cache_write_5m": u.Written.For5m, "cache_write_1h": u.Written.For1h} {
			if n < 0 || n > maxTokens || kinds[kind] > maxTokens {
				return nil
			}
			kinds[kind] += n
		}
	}
	return all
}
