package discovery_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// billing is an operation that fetches a bill or a balance.
type billing struct {
	service  string
	provider models.Provider
	key      string
	good     string // a valid response
	usual    time.Duration
	// call runs the operation and reports whether the result is empty.
	call func(ctx context.Context, c *discovery.Client, timeout time.Duration) (empty bool, err error)
}

const (
	goodCosts = `{"object":"page","data":[{"object":"bucket","start_time":1730419200,"end_time":1730505600,"results":[
		{"object":"organization.costs.result","amount":{"value":"1.5","currency":"usd"},"line_item":"a","project_id":"b","api_key_id":"c"}]}],
		"has_more":false,"next_page":"p2"}`
	goodUsage  = `{"timeSeries":[{"group":["a"],"groupLabels":["b"],"dataPoints":[{"timestamp":"2026-05-08T00:00:00Z","values":["1.5"]}]}],"limitReached":false}`
	goodReport = `{"data":[{"starting_at":"2026-05-01T00:00:00Z","ending_at":"2026-05-02T00:00:00Z","results":[
		{"amount":"150","currency":"USD","cost_type":"tokens","description":"a","model":"claude-opus-4-8","token_type":"output_tokens",
		"service_tier":"standard","context_window":"0-200k","workspace_id":"b","inference_geo":"us"}]}],"has_more":false,"next_page":"p2"}`
	goodMoney = `{"is_available":true,"balance_infos":[{"currency":"USD","total_balance":"9.87","granted_balance":"1.00","topped_up_balance":"8.87"}]}`
)

func billings() map[string]billing {
	return map[string]billing{
		"FetchDeepSeekBalance": {
			"deepseek", models.DeepSeek, balanceKey, goodMoney, 10 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				b, err := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{APIKey: discovery.NewSecret(balanceKey), Timeout: timeout})
				return b == nil, err
			},
		},
		"FetchOpenAICostBuckets": {
			"openai", models.OpenAI, adminKey, goodCosts, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := costQuery()
				q.Timeout = timeout
				buckets, err := c.FetchOpenAICostBuckets(ctx, q)
				return buckets != nil && len(buckets) == 0, err
			},
		},
		"ReconcileOpenAICost": {
			"openai", models.OpenAI, adminKey, goodCosts, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := costQuery()
				q.Timeout = timeout
				r, err := c.ReconcileOpenAICost(ctx, q, ptr(1.0))
				return !r.Complete && r.DriftUSD == nil && r.DriftPct == nil && len(r.Buckets) == 0 && r.ActualUSD == 0, err
			},
		},
		"FetchAnthropicCostBuckets": {
			"anthropic", models.Anthropic, anthropicAdminKey, goodReport, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := reportQuery()
				q.Timeout = timeout
				buckets, err := c.FetchAnthropicCostBuckets(ctx, q)
				return buckets != nil && len(buckets) == 0, err
			},
		},
		"ReconcileAnthropicCost": {
			"anthropic", models.Anthropic, anthropicAdminKey, goodReport, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := reportQuery()
				q.Timeout = timeout
				r, err := c.ReconcileAnthropicCost(ctx, q, ptr(1.0))
				return !r.Complete && r.DriftUSD == nil && r.DriftPct == nil && len(r.Buckets) == 0 && r.ActualUSD == 0, err
			},
		},
		"FetchXAICostBuckets": {
			"xaimanagement", models.XAI, managementKey, goodUsage, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := usageQuery()
				q.Timeout = timeout
				buckets, err := c.FetchXAICostBuckets(ctx, q)
				return buckets != nil && len(buckets) == 0, err
			},
		},
		"ReconcileXAICost": {
			"xaimanagement", models.XAI, managementKey, goodUsage, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := usageQuery()
				q.Timeout = timeout
				r, err := c.ReconcileXAICost(ctx, q, ptr(1.0))
				return !r.Complete && r.DriftUSD == nil && r.DriftPct == nil && len(r.Buckets) == 0 && r.ActualUSD == 0, err
			},
		},
	}
}

// refusesLater responds with 429 and Retry-After.
func refusesLater(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "17")
	w.WriteHeader(http.StatusTooManyRequests)
}

// sends writes n bytes of an unfinished document, or writes endlessly if n < 0.
func sends(n int, length bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if length {
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		blanks := bytes.Repeat([]byte(" "), 1<<16)
		for sent := 0; n < 0 || sent < n; sent += len(blanks) {
			if _, err := w.Write(blanks); err != nil {
				return
			}
		}
	}
}

// hangs writes the start of a response and blocks until the client closes the connection.
func hangs(beginning string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body) // a server only notices a closed connection after reading the body
		}
		if beginning != "" {
			_, _ = w.Write([]byte(beginning))
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}
