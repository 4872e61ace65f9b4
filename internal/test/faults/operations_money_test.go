package faults_test

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Amounts and prices are exact decimals, so they may exceed an int64.
var (
	hugeIsMoney     = exception{fault: "integer of 2^63", becomes: anyResult, why: "an amount is a decimal, not an int64"}
	fractionIsMoney = exception{fault: "fraction for an integer", becomes: anyResult, why: "an amount is a decimal, not an int64"}
	hugePrice       = exception{fault: "number of 1e400", becomes: anyResult, why: "an invalid price is unknown; the others are kept"}
	longPrice       = exception{fault: "integer of a million digits", becomes: anyResult, why: "an invalid price is unknown"}
)

// priceOperations read Google's SKUs.
func priceOperations() []*operation {
	price := path{"skus", 0, "pricingInfo", 0, "pricingExpression", "tieredRates", 0, "unitPrice", "nanos"}
	list := &operation{
		name: "FetchGeminiPricing", method: "FetchGeminiPricing", provider: models.Gemini, service: discovery.ServiceCloudBilling,
		pageSize: 23, byContext: true, shared: true, empty: []discovery.ProviderPricing{},
		discover: func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
			records, err := c.FetchGeminiPricing(ctx, discovery.PricingOptions{APIKey: discovery.NewSecret(keys["GOOGLE_CLOUD_BILLING_API_KEY"])})
			for i := range records {
				records[i].VerifiedAt = nil // the current time
			}
			return records, err
		},
		text: path{"skus", 0, "description"}, integer: price, object: path{"skus", 0},
		nulls: map[string]outcome{
			"": decode, "skus[]": decode, "skus[].skuId": decode, "skus[].pricingInfo[]": decode,
			"skus[].pricingInfo[].pricingExpression.tieredRates[]": decode,
		},
		exceptions: []exception{googleKey, hugeIsMoney, fractionIsMoney, hugePrice, longPrice},
	}
	one := *list
	one.name, one.method, one.empty = "PricingForGeminiModel", "PricingForGeminiModel", (*float64)(nil)
	one.discover = func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
		query := discovery.GeminiPriceQuery{PricingOptions: discovery.PricingOptions{APIKey: discovery.NewSecret(keys["GOOGLE_CLOUD_BILLING_API_KEY"])}}
		return c.PricingForGeminiModel(ctx, "gemini robotics er 2 preview", query)
	}
	return []*operation{list, secondPage(list, emptyObject), onFirstPage(one), secondPage(&one, emptyObject)}
}

// onFirstPage reads the first SKU's price. If that price is lost, the result is nil, with
// a failure.
func onFirstPage(one operation) *operation {
	one.exceptions = append([]exception{
		{fault: "number of 1e400", becomes: part, why: "the SKU's price is unreadable"},
		{fault: "integer of a million digits", becomes: part, why: "the SKU's price is unreadable"},
		{fault: "invalid UTF-8", becomes: part, why: "the description no longer names the model"},
		{fault: "a lone surrogate", becomes: part, why: "the description no longer names the model"},
	}, one.exceptions...)
	one.nulls = maps.Clone(one.nulls)
	const expression = `["skus",0,"pricingInfo",0,"pricingExpression"`
	for _, at := range []string{
		`["skus"]`, `["skus",0,"description"]`, `["skus",0,"pricingInfo"]`, expression + `]`, expression + `,"usageUnit"]`, expression + `,"baseUnit"]`,
		expression + `,"baseUnitConversionFactor"]`, expression + `,"tieredRates"]`, expression + `,"tieredRates",0,"unitPrice"]`,
		expression + `,"tieredRates",0,"unitPrice","nanos"]`, expression + `,"tieredRates",0,"unitPrice","currencyCode"]`,
	} {
		one.nulls[at] = part
	}
	return &one
}

func balanceOperations() []*operation {
	return []*operation{{
		name: "FetchDeepSeekBalance", method: "FetchDeepSeekBalance", provider: models.DeepSeek, service: discovery.ServiceDeepSeek,
		discover: func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error) {
			balance, err := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{APIKey: discovery.NewSecret(keys["DEEPSEEK_API_KEY"]), Timeout: timeout})
			if balance != nil {
				balance.FetchedAt = nil // the current time
			}
			return balance, err
		},
		empty: (*discovery.BalanceSnapshot)(nil),
		text:  path{"balance_infos", 1, "note"}, integer: path{"balance_infos", 1, "total_balance"}, object: path{"balance_infos", 1},
		nulls: map[string]outcome{
			"": decode, "balance_infos": decode,
			// The second entry is in US dollars. Faults in the first one don't matter.
			`["balance_infos",1]`: decode, `["balance_infos",1,"total_balance"]`: decode,
			`["balance_infos",1,"granted_balance"]`: decode, `["balance_infos",1,"topped_up_balance"]`: decode,
		},
		exceptions: append([]exception{hugeIsMoney, fractionIsMoney}, keepsRaw...),
	}}
}

// costOperations read bills. After a failure the report is incomplete, which differs from
// "no cost".
func costOperations() []*operation {
	openai := &operation{
		name: "FetchOpenAICostBuckets", method: "FetchOpenAICostBuckets", provider: models.OpenAI, service: discovery.ServiceOpenAI,
		pageSize: 7, empty: []discovery.CostBucket{},
		discover: func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error) {
			return c.FetchOpenAICostBuckets(ctx, openAIWindow(timeout))
		},
		text: path{"data", 0, "results", 0, "line_item"}, integer: path{"data", 0, "start_time"}, object: path{"data", 0},
		nulls: map[string]outcome{
			"": decode, "data": decode, "data[]": decode, "data[].start_time": decode, "data[].end_time": decode, "data[].results": decode,
			"data[].results[]": decode, "data[].results[].amount": decode, "data[].results[].amount.value": decode, "has_more": decode,
		},
		exceptions: bill,
	}
	report := *openai
	report.name, report.method = "ReconcileOpenAICost", "ReconcileOpenAICost"
	report.empty = incomplete[discovery.CostBucket](models.OpenAI)
	report.discover = func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error) {
		return c.ReconcileOpenAICost(ctx, openAIWindow(timeout), pointer(attributed))
	}
	ops := []*operation{openai, secondPage(openai), &report, secondPage(&report)}
	for _, op := range []*operation{openai, &report} {
		op.nulls = cloneWith(op.nulls, "next_page", part) // the page announces another one, but has no cursor
	}
	return slices.Concat(ops, anthropicCosts(), xaiCosts())
}

func anthropicCosts() []*operation {
	costs := &operation{
		name: "FetchAnthropicCostBuckets", method: "FetchAnthropicCostBuckets", provider: models.Anthropic, service: discovery.ServiceAnthropic,
		pageSize: 7, empty: []discovery.CostBucket{},
		discover: func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error) {
			return c.FetchAnthropicCostBuckets(ctx, anthropicWindow(timeout))
		},
		text: path{"data", 0, "results", 0, "description"}, integer: path{"data", 0, "results", 0, "amount"}, object: path{"data", 0},
		nulls: map[string]outcome{
			"": decode, "data": decode, "data[]": decode, "data[].starting_at": decode, "data[].ending_at": decode, "data[].results": decode,
			"data[].results[]": decode, "data[].results[].amount": decode, "data[].results[].currency": decode, "has_more": decode,
		},
		exceptions: bill,
	}
	report := *costs
	report.name, report.method = "ReconcileAnthropicCost", "ReconcileAnthropicCost"
	report.empty = incomplete[discovery.CostBucket](models.Anthropic)
	report.discover = func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error) {
		return c.ReconcileAnthropicCost(ctx, anthropicWindow(timeout), pointer(attributed))
	}
	ops := []*operation{costs, secondPage(costs), &report, secondPage(&report)}
	for _, op := range []*operation{costs, &report} {
		op.nulls = cloneWith(op.nulls, "next_page", part)
	}
	return ops
}

func xaiCosts() []*operation {
	costs := &operation{
		name: "FetchXAICostBuckets", method: "FetchXAICostBuckets", provider: models.XAI, service: discovery.ServiceXAIManagement,
		empty: []discovery.TeamCostBucket{},
		discover: func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error) {
			return c.FetchXAICostBuckets(ctx, xaiWindow(timeout))
		},
		text: path{"timeSeries", 0, "groupLabels", 0}, integer: path{"timeSeries", 0, "dataPoints", 0, "values", 0}, object: path{"timeSeries", 0},
		nulls: map[string]outcome{
			"": decode, "timeSeries[]": decode, "timeSeries[].group[]": decode, "timeSeries[].groupLabels[]": decode,
			"timeSeries[].dataPoints[]": decode, "timeSeries[].dataPoints[].timestamp": decode,
			"timeSeries[].dataPoints[].values": decode, "timeSeries[].dataPoints[].values[]": decode,
		},
		exceptions: append([]exception{hugeIsMoney, fractionIsMoney, xaiKey, emptyObject}, bill...),
	}
	report := *costs
	report.name, report.method, report.empty = "ReconcileXAICost", "ReconcileXAICost", incomplete[discovery.TeamCostBucket](models.XAI)
	report.discover = func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error) {
		return c.ReconcileXAICost(ctx, xaiWindow(timeout), pointer(attributed))
	}
	return []*operation{costs, &report}
}

// All bills cover two weeks, which are two seven-day pages.
const (
	windowStart, windowEnd = int64(1777593600), int64(1778803200) // 2026-05-01 and 2026-05-15
	attributed             = 1.5
)

func openAIWindow(timeout time.Duration) discovery.OpenAICostQuery {
	return discovery.OpenAICostQuery{
		StartTime: windowStart, EndTime: windowEnd, AdminKey: discovery.NewSecret(keys["OPENAI_ADMIN_KEY"]), Timeout: timeout,
		GroupBy: []discovery.GroupBy{discovery.GroupByLineItem},
	}
}

func anthropicWindow(timeout time.Duration) discovery.AnthropicCostQuery {
	return discovery.AnthropicCostQuery{
		Start: time.Unix(windowStart, 0), End: time.Unix(windowEnd, 0), AdminKey: discovery.NewSecret(keys["ANTHROPIC_ADMIN_KEY"]), Timeout: timeout,
		GroupBy: []discovery.GroupBy{discovery.GroupByDescription},
	}
}

func xaiWindow(timeout time.Duration) discovery.XAICostQuery {
	return discovery.XAICostQuery{
		StartTime: "2026-05-01T00:00:00Z", EndTime: "2026-05-15T00:00:00Z", ManagementKey: discovery.NewSecret(keys["XAI_MANAGEMENT_KEY"]),
		TeamID: "team-example", Timeout: timeout,
	}
}

// incomplete is the report for an unreadable bill.
func incomplete[B discovery.Bucket](provider models.Provider) *discovery.ReconciliationReport[B] {
	return &discovery.ReconciliationReport[B]{
		Provider: provider, AttributedUSD: pointer(attributed), Buckets: []B{}, WindowStart: windowStart, WindowEnd: pointer(windowEnd), Settled: true,
	}
}

func cloneWith(nulls map[string]outcome, place string, o outcome) map[string]outcome {
	clone := map[string]outcome{place: o}
	for place, o := range nulls {
		clone[place] = o
	}
	return clone
}

func pointer[T any](v T) *T { return &v }
