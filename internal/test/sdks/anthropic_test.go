package sdks_test

import (
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// anthropicModels reads all pages and checks every field that the SDK requires.
func anthropicModels(t *testing.T, s *discoverytest.Server, lifecycles ...string) (all []anthropic.ModelInfo) {
	t.Helper()
	client := anthropic.NewClient(option.WithBaseURL(s.URL+"/anthropic"), option.WithAPIKey(keyOf(discovery.ServiceAnthropic)))
	pager := client.Models.ListAutoPaging(t.Context(), anthropic.ModelListParams{Lifecycle: lifecycles})
	for pager.Next() {
		m := pager.Current()
		for name, raw := range map[string]string{
			"id": m.JSON.ID.Raw(), "capabilities": m.JSON.Capabilities.Raw(), "created_at": m.JSON.CreatedAt.Raw(), "deprecated_at": m.JSON.DeprecatedAt.Raw(),
			"display_name": m.JSON.DisplayName.Raw(), "lifecycle": m.JSON.Lifecycle.Raw(), "line": m.JSON.Line.Raw(), "max_input_tokens": m.JSON.MaxInputTokens.Raw(),
			"max_tokens": m.JSON.MaxTokens.Raw(), "retires_at": m.JSON.RetiresAt.Raw(), "type": m.JSON.Type.Raw(),
		} {
			if raw == "" {
				t.Errorf("%s lacks %s, which the SDK requires", m.ID, name)
			}
		}
		all = append(all, m)
	}
	check(t, pager.Err())
	return all
}

func TestAnthropicModels(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := listed(t, s, models.Anthropic)
	var ids []string
	for _, m := range anthropicModels(t, s) {
		ids = append(ids, m.ID)
		info := got[m.ID]
		same(t, m.ID+" name", value(info.Name), m.DisplayName)
		same(t, m.ID+" context length", value(info.ContextLength), m.MaxInputTokens)
		same(t, m.ID+" max tokens", value(info.MaxTokens), m.MaxTokens)
	}
	sameIDs(t, got, ids)
}

func TestAnthropicRetirements(t *testing.T) {
	t.Parallel()
	s := start(t)
	live, seen := retirements(t, s), map[anthropic.ModelInfoLifecycle]int{}
	for _, m := range anthropicModels(t, s, "active", "deprecated", "retired") {
		seen[m.Lifecycle]++
		got, listed := live[discovery.ModelKey{Provider: models.Anthropic, ID: m.ID}]
		overdue := !m.RetiresAt.IsZero() && day(m.RetiresAt) < day(time.Now())
		switch {
		case m.Lifecycle == anthropic.ModelInfoLifecycleActive && m.RetiresAt.IsZero():
			same(t, m.ID+" has an entry", listed, false)
		case m.Lifecycle == anthropic.ModelInfoLifecycleRetired:
			same(t, m.ID+" is retired", models.Registry{}.With(live).IsRetired(models.Anthropic, m.ID), true)
			if overdue {
				same(t, m.ID, got, day(m.RetiresAt))
			}
		case overdue || m.RetiresAt.IsZero():
			same(t, m.ID, got, "deprecated")
		default:
			same(t, m.ID, got, day(m.RetiresAt))
		}
	}
	if len(seen) != 3 {
		t.Errorf("the list has %v, want models in each lifecycle", seen)
	}
}

// costReport is a cost report page. The SDK has no type for it. Amounts are in cents.
type costReport struct {
	Data []struct {
		StartingAt time.Time `json:"starting_at"`
		Results    []struct {
			Amount      float64 `json:"amount,string"`
			Workspace   string  `json:"workspace_id"`
			Description string  `json:"description"`
		} `json:"results"`
	} `json:"data"`
	NextPage string `json:"next_page"`
}

// The SDK has no method for costs, but its Get adds the SDK's headers and encodes the
// query.
func TestAnthropicCosts(t *testing.T) {
	t.Parallel()
	s := start(t)
	begin, end := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 8, 0, 0, 0, 0, time.UTC)
	got, err := newClient(s).FetchAnthropicCostBuckets(t.Context(), discovery.AnthropicCostQuery{
		Start: begin, End: end, GroupBy: []discovery.GroupBy{discovery.GroupByWorkspaceID, discovery.GroupByDescription},
	})
	check(t, err)
	client := anthropic.NewClient(option.WithBaseURL(s.URL+"/anthropic"), option.WithAPIKey(keyOf(discovery.ServiceAnthropicAdmin)))
	days := 0
	for cursor, more := "", true; more; more = cursor != "" {
		options := []option.RequestOption{
			option.WithQuery("starting_at", begin.Format(time.RFC3339)), option.WithQuery("ending_at", end.Format(time.RFC3339)),
			option.WithQueryAdd("group_by[]", "workspace_id"), option.WithQueryAdd("group_by[]", "description"),
		}
		if cursor != "" {
			options = append(options, option.WithQuery("page", cursor))
		}
		var page costReport
		check(t, client.Get(t.Context(), "v1/organizations/cost_report", nil, &page, options...))
		for _, day := range page.Data {
			cents, lines, workspaces := 0.0, map[string]float64{}, map[string]float64{}
			for _, result := range day.Results {
				cents += result.Amount
				lines[result.Description] += result.Amount / 100
				workspaces[result.Workspace] += result.Amount / 100
			}
			same(t, "start", got[days].StartTime, day.StartingAt.Unix())
			same(t, "total", got[days].TotalUSD, cents/100)
			same(t, "descriptions", len(got[days].LineItemBreakdown), len(lines))
			for name, usd := range lines {
				same(t, name, got[days].LineItemBreakdown[name], usd)
			}
			same(t, "default workspace", got[days].WorkspaceBreakdown[""], workspaces[""])
			days++
		}
		cursor = page.NextPage
	}
	same(t, "days", len(got), days)
}
