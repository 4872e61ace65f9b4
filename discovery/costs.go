package discovery

import (
	"encoding/json"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// DefaultCostLimit is the number of days in a page of OpenAI's or Anthropic's costs.
const DefaultCostLimit = 7

// DefaultCostTimeout is the time limit of one request for billed costs.
const DefaultCostTimeout = 15 * time.Second

// maxCostPages bounds how many pages of costs are read: more than ten years at one day a page.
const maxCostPages = 4000

// GroupBy is a grouping of billed costs.
type GroupBy string

// The groupings of OpenAI. GroupByAPIKeyID is documented, but OpenAI has at times rejected it with status 400.
const (
	GroupByLineItem  GroupBy = "line_item"
	GroupByProjectID GroupBy = "project_id"
	GroupByAPIKeyID  GroupBy = "api_key_id"
)

// The groupings of Anthropic.
const (
	GroupByWorkspaceID GroupBy = "workspace_id"
	GroupByDescription GroupBy = "description"
)

// CostBucket is the cost of one UTC day.
type CostBucket struct {
	// StartTime and EndTime are in Unix seconds; EndTime is exclusive.
	StartTime int64 `json:"start_time"`
	EndTime   int64 `json:"end_time"`
	// TotalUSD is the exact sum of all results, rounded once to a float64. Credits are negative.
	TotalUSD float64 `json:"total_usd"`
	// Currency is always "usd". An amount in another currency is a failed call.
	Currency string `json:"currency"`
	// The breakdowns map the name of a line item, or the id of a project, key or workspace, to US dollars. A breakdown that was
	// not requested with GroupBy is empty, never nil. The key "" is for costs without a line item, project or key, and for
	// Anthropic's default workspace. Anthropic's descriptions are line items.
	LineItemBreakdown  map[string]float64 `json:"line_item_breakdown"`
	ProjectBreakdown   map[string]float64 `json:"project_breakdown"`
	APIKeyBreakdown    map[string]float64 `json:"api_key_breakdown"`
	WorkspaceBreakdown map[string]float64 `json:"workspace_breakdown"`
	// RawResults are the results in the response, unchanged. The slice is never nil.
	RawResults []json.RawMessage `json:"raw_results"`
}

// bill is what a provider billed in a window.
type bill[B any] struct {
	buckets []B
	total   decimal.Sum
	// complete is false when the bill could not be read.
	complete bool
}

// secondsPerDay is the length of a UTC day: Unix time has no leap seconds.
const secondsPerDay = 24 * 60 * 60

// MarshalJSON writes an empty breakdown as {} and empty results as [], never null.
func (b CostBucket) MarshalJSON() ([]byte, error) {
	type plain CostBucket
	b.fillBreakdowns()
	if b.RawResults == nil {
		b.RawResults = []json.RawMessage{}
	}
	return json.Marshal(plain(b))
}

// fillBreakdowns makes empty what is nil.
func (b *CostBucket) fillBreakdowns() {
	for _, breakdown := range []*map[string]float64{&b.LineItemBreakdown, &b.ProjectBreakdown, &b.APIKeyBreakdown, &b.WorkspaceBreakdown} {
		if *breakdown == nil {
			*breakdown = map[string]float64{}
		}
	}
}

// TeamCostBucket is what xAI billed a team in one part of the window.
type TeamCostBucket struct {
	// StartTime and EndTime are RFC 3339 in the time zone of the query; EndTime is exclusive. If the window ends within a
	// bucket, EndTime is later than the end of the window, and the bucket has the costs until the end of the window.
	StartTime string `json:"start_time"`
	EndTime   string `json:"end_time"`
	// TotalUSD is the exact sum of all line items, rounded once to a float64.
	TotalUSD float64 `json:"total_usd"`
	// LineItems are the costs by kind of usage, in the order of the response. The slice is never nil.
	LineItems []LineItem `json:"line_items"`
	// RawBucket is the part of the response for this bucket: an array of its series, each with one data point.
	RawBucket json.RawMessage `json:"raw_bucket"`
}

// LineItem is the cost of one kind of usage.
type LineItem struct {
	// Description is xAI's label, as in "Chat grok-3-mini".
	Description string `json:"description"`
	// USD is the cost; it is negative for a credit.
	USD float64 `json:"usd"`
}

// MarshalJSON writes empty line items as [] and an empty raw bucket as [], never null.
func (b TeamCostBucket) MarshalJSON() ([]byte, error) {
	type plain TeamCostBucket
	if b.LineItems == nil {
		b.LineItems = []LineItem{}
	}
	if b.RawBucket == nil {
		b.RawBucket = json.RawMessage("[]")
	}
	return json.Marshal(plain(b))
}
