package discovery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// manySKUs returns a price list with n SKUs: the recorded ones, repeated under new ids.
func manySKUs(b *testing.B, n int) string {
	b.Helper()
	var page struct {
		SKUs []map[string]any `json:"skus"`
	}
	if err := json.Unmarshal([]byte(recordedSKUs(b)), &page); err != nil {
		b.Fatal(err)
	}
	rows := make([]map[string]any, n)
	for i := range rows {
		row := make(map[string]any)
		for name, value := range page.SKUs[i%len(page.SKUs)] {
			row[name] = value
		}
		row["skuId"] = fmt.Sprintf("%04d-0000-0000", i)
		rows[i] = row
	}
	text, err := json.MarshalIndent(map[string]any{"skus": rows, "nextPageToken": ""}, "", " ") // like the catalog sends it
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// BenchmarkReadPrices reads 600 SKUs. impl=mesh fetches them in process, decodes,
// classifies and prices them; impl=baseline only decodes into maps with encoding/json.
func BenchmarkReadPrices(b *testing.B) {
	body := manySKUs(b, 600)
	b.Run("impl=mesh", func(b *testing.B) {
		c := serving(body)
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			rows, err := c.FetchGeminiPricing(context.Background(), discovery.PricingOptions{APIKey: discovery.NewSecret(billingKey), Refresh: true})
			if err != nil || len(rows) != 600 {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			var page map[string]any
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWarmPrice looks up one price in a cached list with 600 SKUs.
func BenchmarkWarmPrice(b *testing.B) {
	s := skuServer()
	s.set("cloudbilling", respond(manySKUs(b, 600)))
	c := s.inProcess()
	b.ReportAllocs()
	for b.Loop() {
		price, err := c.PricingForGeminiModel(context.Background(), "gemini-3.7-flash", discovery.GeminiPriceQuery{Direction: discovery.Input, PricingOptions: withKey})
		if err != nil || price == nil {
			b.Fatal(price, err)
		}
	}
}

// BenchmarkLivePrice prices a call by the live list, under another spelling of the model.
func BenchmarkLivePrice(b *testing.B) {
	s := skuServer()
	s.set("cloudbilling", respond(manySKUs(b, 600)))
	list, err := s.inProcess().LivePrices(context.Background(), nil)
	if err != nil {
		b.Fatal(err)
	}
	call := prices.Call{Provider: models.Gemini, Model: "gemini-3.7-flash-latest", Usage: prices.Usage{Input: 1000, Output: 1000}, At: time.Now()}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := list.CostOf(call); err != nil {
			b.Fatal(err)
		}
	}
}
