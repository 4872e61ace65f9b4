package sdks_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/cloudbilling/v1"
	"google.golang.org/api/option"
	"google.golang.org/genai"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestGeminiModels(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := listed(t, s, models.Gemini)
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: keyOf(discovery.ServiceGemini), Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: s.URL + "/gemini/"},
	})
	check(t, err)
	var ids []string
	for m, err := range client.Models.All(t.Context()) {
		check(t, err)
		id := strings.TrimPrefix(m.Name, "models/")
		ids = append(ids, id)
		info := got[id]
		same(t, id+" name", value(info.Name), m.DisplayName)
		same(t, id+" description", value(info.Description), m.Description)
		same(t, id+" context length", value(info.ContextLength), int64(m.InputTokenLimit))
		same(t, id+" max tokens", value(info.MaxTokens), int64(m.OutputTokenLimit))
	}
	sameIDs(t, got, ids)
}

// Google's client sends the key in the URL.
func TestCloudBillingSKUs(t *testing.T) {
	t.Parallel()
	s := start(t)
	got, err := newClient(s).FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
	check(t, err)
	service, err := cloudbilling.NewService(t.Context(), option.WithAPIKey(keyOf(discovery.ServiceCloudBilling)), option.WithEndpoint(s.URL+"/cloudbilling/"))
	check(t, err)
	var skus []*cloudbilling.Sku
	check(t, service.Services.Skus.List("services/AEFD-7695-64FA").Pages(t.Context(), func(page *cloudbilling.ListSkusResponse) error {
		skus = append(skus, page.Skus...)
		return nil
	}))
	if len(skus) != len(got) || len(skus) == 0 {
		t.Fatalf("discovery has %d SKUs, the SDK %d", len(got), len(skus))
	}
	priced := 0
	for i, sku := range skus {
		same(t, "SKU id", got[i].SKUID, sku.SkuId)
		same(t, "description", got[i].SKUDescription, sku.Description)
		if samePrice(t, got[i], sku) {
			priced++
		}
	}
	if priced < len(skus)/2 {
		t.Errorf("only %d of %d SKUs have a price", priced, len(skus))
	}
}

// samePrice compares a SKU's price and reports whether it has one. A SKU that isn't
// priced per token doesn't.
func samePrice(t *testing.T, got discovery.ProviderPricing, sku *cloudbilling.Sku) bool {
	t.Helper()
	expression := inForce(t, sku.PricingInfo)
	same(t, sku.SkuId+" unit", value(got.UsageUnit), expression.UsageUnit)
	price := got.InputPerMTok
	if price == nil {
		price = got.OutputPerMTok
	}
	if price == nil {
		switch got.Mode {
		case prices.ModeStorage, prices.ModeGrounding, prices.ModeOther, prices.ModeUnknown:
		default:
			t.Errorf("%s (%s) has no price", sku.SkuId, sku.Description)
		}
		return false
	}
	if len(expression.TieredRates) != 1 || expression.TieredRates[0].UnitPrice.CurrencyCode != "USD" || expression.UsageUnit != "count" {
		t.Errorf("%s has a price, but %+v", sku.SkuId, expression)
		return true
	}
	unit := expression.TieredRates[0].UnitPrice
	usd := new(big.Rat).Add(new(big.Rat).SetInt64(unit.Units), big.NewRat(unit.Nanos, 1e9))
	perMillion, _ := usd.Mul(usd, new(big.Rat).Quo(big.NewRat(1e6, 1), new(big.Rat).SetFloat64(expression.BaseUnitConversionFactor))).Float64()
	same(t, sku.SkuId+" price", *price, perMillion)
	return true
}

// inForce returns the last expression, except for future ones.
func inForce(t *testing.T, history []*cloudbilling.PricingInfo) (current *cloudbilling.PricingExpression) {
	t.Helper()
	var since time.Time
	for _, entry := range history {
		at, err := time.Parse(time.RFC3339, entry.EffectiveTime)
		check(t, err)
		if !at.After(time.Now()) && !at.Before(since) {
			current, since = entry.PricingExpression, at
		}
	}
	if current == nil {
		t.Fatal("no price is in force")
	}
	return current
}
