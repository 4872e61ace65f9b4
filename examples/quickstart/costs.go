package main

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// costs shows what models cost, what is left and what was billed: of the real providers whose keys are in the environment,
// or, without any, of providers in memory. It only reads.
func costs(ctx context.Context, p *page) error {
	p.section("Prices, balance, bills")
	b, stop := books(p)
	defer stop()
	for _, step := range []func(context.Context, *page) error{b.prices, b.balance, b.bill} {
		if err := step(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// bookkeeper asks about money. key stands for every key where the providers are in memory, and is "" where they are real:
// then each call reads its own from the environment.
type bookkeeper struct {
	client *discovery.Client
	key    string
}

// keyNames are the variables that this section can use.
var keyNames = []string{"GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_ADMIN_KEY"}

func books(p *page) (b bookkeeper, stop func()) {
	var set []string
	for _, name := range keyNames {
		if strings.TrimSpace(os.Getenv(name)) != "" {
			set = append(set, name)
		}
	}
	if len(set) > 0 {
		p.line("the real providers, with the keys in %s", strings.Join(set, ", "))
		return bookkeeper{client: discovery.New()}, func() {}
	}
	server := discoverytest.Start()
	p.line("providers in memory (none of %s is set)", strings.Join(keyNames, ", "))
	return bookkeeper{client: discovery.New(server.Options()...), key: "a key for providers in memory"}, server.Close
}

func (b bookkeeper) prices(ctx context.Context, p *page) error {
	if m, ok := discovery.PricingForAnthropicModel("claude-sonnet-5-5"); ok {
		p.line("%-22s %s in, %s out, USD per million tokens, as of %s", m.ModelHint, dollars(m.InputPerMTok), dollars(m.OutputPerMTok), *m.VerifiedAt)
	}
	options := discovery.PricingOptions{APIKey: b.key}
	in, err := b.client.PricingForGeminiModel(ctx, "gemini 3.1 flash lite", discovery.GeminiPriceQuery{Direction: discovery.Input, PricingOptions: options})
	if err != nil {
		return err
	}
	out, err := b.client.PricingForGeminiModel(ctx, "gemini 3.1 flash lite", discovery.GeminiPriceQuery{PricingOptions: options})
	if err != nil {
		return err
	}
	p.line("%-22s %s in, %s out", "gemini 3.1 flash lite", dollars(in), dollars(out))
	return nil
}

func (b bookkeeper) balance(ctx context.Context, p *page) error {
	left, err := b.client.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{APIKey: b.key})
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

// bill compares what OpenAI billed in the three days before today with what was counted, which is made up here.
func (b bookkeeper) bill(ctx context.Context, p *page) error {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	query := discovery.OpenAICostQuery{StartTime: today.AddDate(0, 0, -3).Unix(), EndTime: today.Unix(), AdminKey: b.key}
	counted := 12.5
	report, err := b.client.ReconcileOpenAICost(ctx, query, &counted)
	if err != nil {
		return err
	}
	p.section("OpenAI, billed against counted")
	var table strings.Builder
	if err := report.Table(&table); err != nil {
		return err
	}
	for lines := bufio.NewScanner(strings.NewReader(table.String())); lines.Scan(); {
		p.line("%s", lines.Text())
	}
	return nil
}

// dollars shows a price; one that is not known is not 0.
func dollars(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return strconv.FormatFloat(*usd, 'f', -1, 64)
}
