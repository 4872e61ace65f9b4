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
	// maxOpenAICostLimit is how many days a page has at most.
	maxOpenAICostLimit = 180
)

// OpenAICostQuery selects costs of an OpenAI organization.
type OpenAICostQuery struct {
	// StartTime is the start of the window in Unix seconds, inclusive. It is required, and is sent unchanged.
	StartTime int64
	// EndTime is the end of the window in Unix seconds, exclusive. 0 leaves the window open.
	EndTime int64
	// AdminKey is the admin key. The default is the key of [WithKey], else OPENAI_ADMIN_KEY.
	AdminKey Secret `json:"-" xml:"-"`
	// GroupBy selects the breakdowns of the buckets. By default there are none.
	GroupBy []GroupBy
	// ProjectIDs and APIKeyIDs select the costs of these projects and keys. Empty lists select all.
	ProjectIDs, APIKeyIDs []string
	// Limit is the number of days in a page, from 1 to 180. 0 means [DefaultCostLimit]. All pages of the window are read, so
	// Limit changes only the number of requests.
	Limit int
	// Timeout is the time limit of the request for each page. 0 means [DefaultCostTimeout]. The context limits the whole call.
	Timeout time.Duration
}

// FetchOpenAICostBuckets returns what OpenAI billed the organization, one bucket per UTC day. A day without costs is a bucket with a total
// of 0. Results of another kind that have no amount, such as usage rows, are skipped; a [Failure] of [ReasonPartial] counts them.
//
// The error is a [*ValueError] if the start is missing, in milliseconds, or not before the end, the limit is outside 1 to 180, a grouping
// is unknown or repeated, an id is empty, or the timeout is negative.
func (c *Client) FetchOpenAICostBuckets(ctx context.Context, query OpenAICostQuery) ([]CostBucket, error) {
	days, err := c.openAIDays(query)
	return fetchBill(ctx, c, "FetchOpenAICostBuckets", days, err)
}

// openAIDays validates the query and returns it as a dayQuery.
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

// params returns the query of every page. Width and limit are always sent, since the provider's defaults may change.
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

// withPage adds the cursor of a page to the URL. The cursor is escaped except for "=", which OpenAI was reported to refuse as
// %3D, and "/", which needs no escape.
func withPage(cursor string) openai.RequestEditorFn {
	return func(_ context.Context, req *http.Request) error {
		if cursor != "" {
			req.URL.RawQuery += "&page=" + strings.NewReplacer("%3D", "=", "%2F", "/").Replace(url.QueryEscape(cursor))
		}
		return nil
	}
}
