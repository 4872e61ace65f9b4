package discovery

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/gen/openai"
)

const (
	// maxOpenAICostLimit is the maximum number of days per page.
	maxOpenAICostLimit = 180
)

// OpenAICostQuery selects an OpenAI organization's costs.
type OpenAICostQuery struct {
	// StartTime is the start of the window in Unix seconds. It's required, and is sent
	// unchanged.
	StartTime int64
	// EndTime is the exclusive end of the window in Unix seconds. 0 leaves the window
	// open.
	EndTime int64
	// AdminKey defaults to the key from [WithKey], or else OPENAI_ADMIN_KEY.
	AdminKey Secret `json:"-" xml:"-"`
	// GroupBy selects breakdowns. The default is no breakdown.
	GroupBy []GroupBy
	// ProjectIDs and APIKeyIDs filter costs. Empty lists select all.
	ProjectIDs, APIKeyIDs []string
	// Limit is the number of days per page, from 1 to 180. 0 means [DefaultCostLimit].
	// All pages are read, so it changes only the number of requests.
	Limit int
	// Timeout limits the request for each page. 0 means [DefaultCostTimeout]. The whole
	// call is limited by the context.
	Timeout time.Duration
}

// FetchOpenAICostBuckets returns the costs that OpenAI billed to the organization, one
// bucket per UTC day. A day without costs has a total of 0. Other results that have no
// amount, such as usage rows, are skipped and counted in a [Failure] with
// [ReasonPartial].
//
// FetchOpenAICostBuckets returns a [*ValueError] if
//
//   - StartTime is missing, in milliseconds, or not before EndTime
//   - Limit is outside 1 to 180
//   - a grouping is unknown or repeated
//   - an id is empty
//   - Timeout is negative
func (c *Client) FetchOpenAICostBuckets(ctx context.Context, query OpenAICostQuery) ([]CostBucket, error) {
	days, err := c.openAIDays(query)
	return fetchBill(ctx, c, "FetchOpenAICostBuckets", days, err)
}

func (c *Client) openAIDays(query OpenAICostQuery) (dayQuery, error) {
	days := dayQuery{
		provider: models.OpenAI, service: ServiceOpenAIAdmin, key: query.AdminKey,
		start: query.StartTime, end: query.EndTime, groups: query.GroupBy, timeout: query.Timeout,
		startField: "StartTime", endField: "EndTime",
		formatTime: func(t int64) string { return strconv.FormatInt(t, 10) },
	}
	switch {
	case slices.Contains(query.ProjectIDs, ""):
		return days, invalid("ProjectIDs", "", "must not contain an empty id")
	case slices.Contains(query.APIKeyIDs, ""):
		return days, invalid("APIKeyIDs", "", "must not contain an empty id")
	}
	params := query.params()
	days.page = func(ctx context.Context, r request, cursor string) (billing.Page, *Failure) {
		return fetchAs(ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.openaiAdmin.ListCosts(ctx, params, bearer(r.key), withPage(cursor))
		}, billing.OpenAIPage)
	}
	return days, days.check(query.Limit, maxOpenAICostLimit, GroupByLineItem, GroupByProjectID, GroupByAPIKeyID, GroupByUserID, GroupByAPISource)
}

// params returns the query for every page. Width and limit are always sent, because the
// defaults may change.
func (q OpenAICostQuery) params() *openai.ListCostsParams {
	day, limit := openai.ListCostsParamsBucketWidthN1D, int64(cmp.Or(q.Limit, DefaultCostLimit))
	params := &openai.ListCostsParams{
		StartTime: q.StartTime, EndTime: ptr.Of(q.EndTime), BucketWidth: &day, Limit: &limit, ProjectIds: q.ProjectIDs, APIKeyIds: q.APIKeyIDs,
	}
	for _, group := range q.GroupBy {
		params.GroupBy = append(params.GroupBy, openai.ListCostsParamsGroupBy(group))
	}
	return params
}

// withPage adds a page's cursor to the URL. It doesn't escape "=", which OpenAI
// reportedly refuses as %3D, and "/", which needs no escape.
func withPage(cursor string) openai.RequestEditorFn {
	return func(_ context.Context, req *http.Request) error {
		if cursor != "" {
			req.URL.RawQuery += "&page=" + strings.NewReplacer("%3D", "=", "%2F", "/").Replace(url.QueryEscape(cursor))
		}
		return nil
	}
}
