// This file only compiles while the packages have the names that were promised first: the
// mesh client's operations, fields, environment defaults and errors, and discovery's
// models, prices, costs and retirement. A name may move to another package only if the
// old one still works.
package mesh_test

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/discovery"

	// TestAPI and TestSizesOfPrograms build these: without the imports, go test may do so
	// at the same time.
	_ "github.com/mesh-gateway/mesh-go/client/agent"
	_ "github.com/mesh-gateway/mesh-go/discovery/meter"
)

// exactly compiles only if v has the type T.
func exactly[T any](T) {}

var _ = func(ctx context.Context, c *client.MeshClient) {
	made, err := client.New("node-a", client.WithToken("t"), client.WithGatewayURL("u"), client.WithTimeout(10*time.Second), client.WithoutSelfNameValidation())
	exactly[*client.MeshClient](made)
	exactly[error](err)

	peers, _ := c.ListPeers(ctx)
	exactly[[]client.MeshPeer](peers)
	registered, _ := c.Register(ctx, client.RegisterRequest{URL: "http://node-a", Capabilities: map[string]any{}})
	exactly[*client.MeshPeer](registered)
	messages, _ := c.Fetch(ctx, client.FetchOptions{ToNode: "node-a", UnreadOnly: true, Limit: 5})
	exactly[[]client.MeshMessage](messages)
	sent, _ := c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "", RelatedTaskID: "", ThreadID: "", SkipSecretCheck: false})
	exactly[*client.MeshMessage](sent)
	exactly[error](c.MarkRead(ctx, sent.ID))
	exactly[error](c.Close())

	p := peers[0]
	exactly[string](p.Name)
	exactly[bool](p.Enabled)
	_, _, _, _, _ = p.URL, p.Capabilities, p.LastHealth, p.LastSeen, p.RegisteredAt
	exactly[int64](sent.ID)
	exactly[string](sent.FromNode)
	exactly[string](sent.ToNode)
	exactly[string](sent.GetContent())
	_, _, _, _, _, _ = sent.Kind, sent.Content, sent.CreatedAt, sent.ReadAt, sent.RelatedTaskID, sent.ThreadID
	exactly[[]client.Kind]([]client.Kind{client.KindFYI, client.KindQuestion, client.KindAnswer, client.KindStatus, client.KindUnblock})

	var (
		gateway  *client.MeshGatewayError
		auth     *client.MeshAuthError
		leak     *client.MeshSecretLeakError
		value    *client.ValueError
		unlisted *client.NotInRegistryError
	)
	_ = errors.As(err, &gateway) || errors.As(err, &auth) || errors.As(err, &leak) || errors.As(err, &value) || errors.As(err, &unlisted)
	_ = errors.Is(err, client.ErrMesh)
}

var _ = func(ctx context.Context, c *discovery.Client) {
	exactly[*discovery.Client](discovery.Default())
	options := discovery.CatalogOptions{Provider: discovery.XAI, TTL: discovery.DefaultCatalogTTL, Refresh: true}
	models, err := c.ListModels(ctx, options)
	exactly[[]discovery.ModelInfo](models)
	exactly[error](err)
	c.InvalidateCatalog()
	supported, _ := c.IsModelSupported(ctx, "id", options)
	exactly[bool](supported)
	info, _ := c.GetModelInfo(ctx, "id", options)
	exactly[*discovery.ModelInfo](info)
	exactly[string](info.ID)
	exactly[string](info.Developer)
	exactly[string](info.Source)
	exactly[*int64](info.ContextLength)
	exactly[*int64](info.MaxTokens)
	exactly[[]*string]([]*string{info.Name, info.Description, info.Type})
	exactly[[][]string]([][]string{info.Aliases, info.Tags})
	exactly[string](discovery.SourceCatalog)

	exactly[func(discovery.Provider, string) string](discovery.NormalizeModelID)
	exactly[func(string) string](discovery.NormalizeXAIModelID)
	exactly[func(string) string](discovery.NormalizeDeepSeekModelID)
	exactly[func(discovery.Provider, string) bool](discovery.IsRetired)
	exactly[func(discovery.Provider, string, time.Time) bool](discovery.IsRetiredOn)
	exactly[func(discovery.Provider, string) (string, bool)](discovery.RetirementDate)
	exactly[func() discovery.Registry](discovery.Retirements)
	exactly[map[discovery.ModelKey]string](discovery.Registry{discovery.ModelKey{Provider: discovery.OpenAI, ID: "id"}: "deprecated"})
	exactly[[]discovery.Provider]([]discovery.Provider{discovery.OpenAI, discovery.DeepSeek, discovery.Anthropic, discovery.Gemini, discovery.XAI})
}

var _ = func(ctx context.Context, c *discovery.Client) {
	options := discovery.PricingOptions{APIKey: discovery.NewSecret("k"), TTL: discovery.DefaultPricingTTL, Refresh: true}
	rows, _ := c.FetchGeminiPricing(ctx, options)
	exactly[[]discovery.ProviderPricing](rows)
	c.InvalidatePricing()
	c.InvalidatePricing(discovery.Gemini)
	usd, _ := c.PricingForGeminiModel(ctx, "hint", discovery.GeminiPriceQuery{Direction: discovery.Output, TierThresholdTokens: 128000, PricingOptions: options})
	exactly[*float64](usd)
	exactly[discovery.Direction](discovery.Input)
	exactly[func(string) (*discovery.ProviderPricing, bool)](discovery.PricingForAnthropicModel)
	exactly[func() []discovery.ProviderPricing](discovery.ListAnthropicPricing)
	exactly[func([]discovery.ProviderPricing, int64) (*discovery.ProviderPricing, bool)](discovery.PriceAt)

	row := rows[0]
	exactly[discovery.Provider](row.Provider)
	exactly[[]string]([]string{row.ModelHint, row.SKUID, row.SKUDescription, row.Source, row.Modality, row.Mode})
	exactly[[]*float64]([]*float64{row.InputPerMTok, row.OutputPerMTok})
	exactly[int64](row.TierThresholdTokens)
	exactly[[]*string]([]*string{row.UsageUnit, row.VerifiedAt})
	exactly[*discovery.RawPricing](row.RawPricing)
	exactly[[]float64]([]float64{row.RawPricing.CacheWrite5m, row.RawPricing.CacheWrite1h, row.RawPricing.CacheHit})
	exactly[string](discovery.SourceCloudBilling)

	balance, _ := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{APIKey: discovery.NewSecret("k"), Timeout: discovery.DefaultBalanceTimeout})
	exactly[[]float64]([]float64{balance.TotalBalance, balance.GrantedBalance, balance.ToppedUpBalance})
	exactly[string](balance.Currency)
	exactly[bool](balance.IsAvailable)
	exactly[*string](balance.FetchedAt)
	exactly[json.RawMessage](balance.Raw)
	exactly[func(_, _ discovery.BalanceSnapshot) (float64, error)](discovery.SpendBetween)
}

var _ = func(ctx context.Context, c *discovery.Client) {
	openAI := discovery.OpenAICostQuery{
		StartTime: 1, EndTime: 2, AdminKey: discovery.NewSecret("k"), Limit: discovery.DefaultCostLimit, Timeout: discovery.DefaultCostTimeout,
		GroupBy: []discovery.GroupBy{discovery.GroupByLineItem, discovery.GroupByProjectID, discovery.GroupByAPIKeyID},
	}
	days, _ := c.FetchOpenAICostBuckets(ctx, openAI)
	exactly[[]discovery.CostBucket](days)
	exactly[[]int64]([]int64{days[0].StartTime, days[0].EndTime})
	exactly[float64](days[0].TotalUSD)
	exactly[string](days[0].Currency)
	exactly[[]map[string]float64]([]map[string]float64{days[0].LineItemBreakdown, days[0].ProjectBreakdown, days[0].APIKeyBreakdown})
	exactly[[]json.RawMessage](days[0].RawResults)
	report, _ := c.ReconcileOpenAICost(ctx, openAI, new(float64))
	exactly[*discovery.ReconciliationReport[discovery.CostBucket]](report)
	exactly[float64](report.ActualUSD)
	exactly[[]*float64]([]*float64{report.AttributedUSD, report.DriftUSD, report.DriftPct})
	exactly[[]discovery.CostBucket](report.Buckets)
	exactly[int64](report.WindowStart)
	exactly[*int64](report.WindowEnd)

	xai := discovery.XAICostQuery{
		StartTime: "2026-11-01T00:00:00Z", EndTime: "2026-11-02 00:00:00", ManagementKey: discovery.NewSecret("k"), TeamID: "t",
		TimeUnit: discovery.TimeUnitDay, Timezone: discovery.DefaultTimezone, Timeout: discovery.DefaultCostTimeout,
	}
	buckets, _ := c.FetchXAICostBuckets(ctx, xai)
	exactly[[]discovery.TeamCostBucket](buckets)
	exactly[[]string]([]string{buckets[0].StartTime, buckets[0].EndTime})
	exactly[float64](buckets[0].TotalUSD)
	exactly[[]discovery.LineItem](buckets[0].LineItems)
	exactly[json.RawMessage](buckets[0].RawBucket)
	team, _ := c.ReconcileXAICost(ctx, xai, nil)
	exactly[*discovery.ReconciliationReport[discovery.TeamCostBucket]](team)
	exactly[[]discovery.TimeUnit]([]discovery.TimeUnit{
		discovery.TimeUnitDay, discovery.TimeUnitHour, discovery.TimeUnitMonth, discovery.TimeUnitCalendarWeek,
		discovery.TimeUnitQuarterHour, discovery.TimeUnitMinute, discovery.TimeUnitSecond, discovery.TimeUnitNone,
	})
}
