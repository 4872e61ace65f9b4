package discovery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// halfAYear returns a page with 180 days and n results each, grouped by every dimension.
func halfAYear(n int) string {
	days := make([]string, 180)
	for i := range days {
		results := make([]string, n)
		for j := range results {
			results[j] = result(fmt.Sprintf(`"%d.%012d"`, j, i*7919+j), fmt.Sprintf(
				`,"line_item":"gpt-5.6-%d, input tokens","project_id":"proj_%d","api_key_id":"key_%d","organization_id":"org-example","quantity":12.5,"quantity_unit":"tokens"`, j, j%5, j%7))
		}
		days[i] = costDay(int64(i), results...)
	}
	return costPage(false, "null", days...)
}

// plainCosts is for a hand-written client.
type plainCosts struct {
	Data []struct {
		StartTime int64 `json:"start_time"`
		EndTime   int64 `json:"end_time"`
		Results   []struct {
			Amount struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"amount"`
			LineItem  *string `json:"line_item"`
			ProjectID *string `json:"project_id"`
			APIKeyID  *string `json:"api_key_id"`
		} `json:"results"`
	} `json:"data"`
}

// BenchmarkCostPage reads 180 days of costs. impl=mesh fetches them in process, decodes
// and adds them up in three breakdowns; impl=baseline only decodes into plain structs
// with encoding/json.
func BenchmarkCostPage(b *testing.B) {
	for _, n := range []int{1, 5, 10} {
		body := halfAYear(n)
		b.Run(fmt.Sprintf("results=%d/impl=mesh", n), func(b *testing.B) {
			c := serving(body)
			q := costQuery()
			q.EndTime, q.Limit, q.GroupBy = q.StartTime+180*day, 180, []discovery.GroupBy{"line_item", "project_id", "api_key_id"}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if buckets, err := c.FetchOpenAICostBuckets(context.Background(), q); len(buckets) != 180 || err != nil {
					b.Fatal(len(buckets), err)
				}
			}
		})
		b.Run(fmt.Sprintf("results=%d/impl=baseline", n), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var page plainCosts
				if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Data) != 180 {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUsage pivots ten series with 180 days.
func BenchmarkUsage(b *testing.B) {
	all := make([]string, 10)
	for i := range all {
		points := make([]string, 180)
		for j := range points {
			points[j] = point(fmt.Sprintf("2026-%02d-%02dT00:00:00Z", 1+j/28, 1+j%28), fmt.Sprintf("%d.%08d", i, j))
		}
		all[i] = series(fmt.Sprintf("Chat grok-%d", i), points...)
	}
	body := `{"timeSeries":[` + strings.Join(all, ",") + `]}`
	c := serving(body)
	q := usageQuery()
	q.StartTime, q.EndTime = "2026-01-01", "2026-08-01"
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if buckets, err := c.FetchXAICostBuckets(context.Background(), q); len(buckets) != 180 || err != nil {
			b.Fatal(len(buckets), err)
		}
	}
}
