package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func costs(ctx context.Context, p *page) error {
	p.section("Prices, balance, bills")
	a, stop, err := providers(p)
	if err != nil {
		return err
	}
	defer stop()
	for _, step := range []func(context.Context, *page) error{a.prices, a.meteredCall, a.balance, a.bill} {
		if err := step(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// accounts requests prices and amounts from the providers.
type accounts struct {
	client *discovery.Client
	key    discovery.Secret // for every provider in memory; zero means the environment's keys
}

// keyNames are environment variables.
var keyNames = []string{"GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_ADMIN_KEY"}

// providers returns the real providers if -real and a key are set, or else providers in
// memory.
func providers(p *page) (a accounts, stop func(), err error) {
	var set []string
	for _, name := range keyNames {
		if p.real && strings.TrimSpace(os.Getenv(name)) != "" {
			set = append(set, name)
		}
	}
	if len(set) > 0 {
		p.line("the real providers, with the keys in %s", strings.Join(set, ", "))
		return accounts{client: discovery.Default()}, func() {}, nil
	}
	server := discoverytest.Start()
	p.line("providers in memory (-real and one of %s: the real ones)", strings.Join(keyNames, ", "))
	c, err := discovery.New(server.Options()...)
	return accounts{client: c, key: discovery.NewSecret("a key for providers in memory")}, server.Close, err
}

func (a accounts) prices(ctx context.Context, p *page) error {
	if m, ok := discovery.PricingForAnthropicModel("claude-sonnet-5-5"); ok {
		p.line("%-22s %s in, %s out, USD per million tokens, as of %s", m.ModelHint, dollars(m.InputPerMTok), dollars(m.OutputPerMTok), *m.VerifiedAt)
	}
	options := discovery.PricingOptions{APIKey: a.key}
	in, err := a.client.PricingForGeminiModel(ctx, "gemini 3.1 flash lite", discovery.GeminiPriceQuery{Direction: discovery.Input, PricingOptions: options})
	if err != nil {
		return err
	}
	out, err := a.client.PricingForGeminiModel(ctx, "gemini 3.1 flash lite", discovery.GeminiPriceQuery{PricingOptions: options})
	if err != nil {
		return err
	}
	p.line("%-22s %s in, %s out", "gemini 3.1 flash lite", dollars(in), dollars(out))
	return nil
}

func (a accounts) balance(ctx context.Context, p *page) error {
	left, err := a.client.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{APIKey: a.key})
	if err != nil {
		return err
	}
	if left == nil {
		p.line("%-22s unknown", "deepseek balance")
		return nil
	}
	p.line("%-22s %.2f %s", "deepseek balance", left.TotalBalance, left.Currency)
	return nil
}

// bill compares OpenAI's bill for the last three days with calls. The calls are invented,
// one per day.
func (a accounts) bill(ctx context.Context, p *page) error {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	from := today.AddDate(0, 0, -3)
	counted, err := calls.NewTotals("day", "model", "provider", "platform", "billing")
	if err != nil {
		return err
	}
	for day := from; day.Before(today); day = day.AddDate(0, 0, 1) {
		usage := []byte(`{"prompt_tokens":200000,"completion_tokens":240000,"total_tokens":440000}`)
		if err := counted.Add(calls.Record{Provider: models.OpenAI, Model: "gpt-5.4", Time: day, Usage: usage}); err != nil {
			return err
		}
	}
	query := discovery.OpenAICostQuery{StartTime: from.Unix(), EndTime: today.Unix(), AdminKey: a.key}
	report, err := a.client.ReconcileOpenAICost(ctx, query, nil)
	if err != nil {
		return err
	}
	p.section("OpenAI, billed against counted")
	var table strings.Builder
	if err := report.WithCalls(counted.Groups()).Table(&table); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		p.line("%s", strings.TrimSuffix(line, "\n"))
	}
	return nil
}

// dollars formats a price. An unknown price isn't 0.
func dollars(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return strconv.FormatFloat(*usd, 'f', -1, 64)
}
