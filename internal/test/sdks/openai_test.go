package sdks_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func openAI(s *discoverytest.Server, path string, service discovery.Service) openai.Client {
	return openai.NewClient(
		option.WithBaseURL(s.URL+path), option.WithAPIKey(keyOf(service)), option.WithAdminAPIKey(keyOf(discovery.ServiceOpenAIAdmin)),
	)
}

// The SDK sends group_by[] and escapes the cursor: page_…%3D.
func TestOpenAICosts(t *testing.T) {
	t.Parallel()
	const begin, days = 1730419200, 20
	const end = begin + days*86400
	s := start(t)
	got, err := newClient(s).FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{
		StartTime: begin, EndTime: end,
		GroupBy: []discovery.GroupBy{discovery.GroupByLineItem, discovery.GroupByProjectID, discovery.GroupByAPIKeyID},
	})
	check(t, err)
	buckets := costBuckets(t, openAI(s, "/openai/v1/", discovery.ServiceOpenAI), openai.AdminOrganizationUsageCostsParams{
		StartTime: begin, EndTime: openai.Int(end), GroupBy: []string{"line_item", "project_id", "api_key_id"},
	})
	if len(got) != days || len(buckets) != days {
		t.Fatalf("discovery has %d days, the SDK %d, want %d", len(got), len(buckets), days)
	}
	for i, bucket := range buckets {
		sameBucket(t, got[i], bucket)
	}
}

func costBuckets(t *testing.T, client openai.Client, params openai.AdminOrganizationUsageCostsParams) (buckets []openai.AdminOrganizationUsageCostsResponseData) {
	t.Helper()
	for {
		page, err := client.Admin.Organization.Usage.Costs(t.Context(), params)
		check(t, err)
		buckets = append(buckets, page.Data...)
		if !page.HasMore {
			return buckets
		}
		params.Page = openai.String(page.NextPage)
	}
}

// sameBucket compares one day. The server's amounts have few digits, so float64 sums are
// exact.
func sameBucket(t *testing.T, got discovery.CostBucket, sdk openai.AdminOrganizationUsageCostsResponseData) {
	t.Helper()
	same(t, "start time", got.StartTime, sdk.StartTime)
	same(t, "end time", got.EndTime, sdk.EndTime)
	total, items, projects, keys := 0.0, map[string]float64{}, map[string]float64{}, map[string]float64{}
	if len(got.RawResults) != len(sdk.Results) || len(sdk.Results) == 0 {
		t.Fatalf("discovery has %d results, the SDK %d", len(got.RawResults), len(sdk.Results))
	}
	for i, result := range sdk.Results {
		same(t, "currency", got.Currency, result.Amount.Currency)
		same(t, "raw result", compact(t, got.RawResults[i]), compact(t, []byte(result.RawJSON())))
		total += result.Amount.Value
		items[result.LineItem] += result.Amount.Value
		projects[result.ProjectID] += result.Amount.Value
		keys[result.APIKeyID] += result.Amount.Value
	}
	same(t, "total", got.TotalUSD, total)
	if total == 0 || items[""] != 0 || projects[""] != 0 || keys[""] != 0 {
		t.Errorf("the SDK reads no amount, or an ungrouped one: %v %v %v", items, projects, keys)
	}
	if !maps.Equal(got.LineItemBreakdown, items) || !maps.Equal(got.ProjectBreakdown, projects) || !maps.Equal(got.APIKeyBreakdown, keys) {
		t.Errorf("discovery has %v %v %v, the SDK %v %v %v", got.LineItemBreakdown, got.ProjectBreakdown, got.APIKeyBreakdown, items, projects, keys)
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	check(t, json.Compact(&b, text))
	return b.String()
}

func TestOpenAIModels(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := openAI(s, "/openai/v1/", discovery.ServiceOpenAI)
	page, err := client.Models.List(t.Context())
	check(t, err)
	registry, dates := retirements(t, s), 0
	var ids []string
	for _, m := range page.Data {
		ids = append(ids, m.ID)
		if !m.ShutdownDate.IsZero() {
			dates++
			same(t, m.ID, registry[discovery.ModelKey{Provider: models.OpenAI, ID: m.ID}], day(m.ShutdownDate))
		}
	}
	sameIDs(t, listed(t, s, models.OpenAI), ids)
	if dates == 0 {
		t.Error("no model has a shutdown date")
	}
}

// DeepSeek and xAI have no Go SDK. Their lists are compatible with OpenAI's.
func TestModelsOfDeepSeekAndXAI(t *testing.T) {
	t.Parallel()
	for p, path := range map[models.Provider]string{models.DeepSeek: "/deepseek/", models.XAI: "/xai/v1/"} {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			client := openAI(s, path, discovery.Service(p))
			page, err := client.Models.List(t.Context())
			check(t, err)
			var ids []string
			for _, m := range page.Data {
				ids = append(ids, m.ID)
			}
			sameIDs(t, listed(t, s, p), ids)
		})
	}
}
