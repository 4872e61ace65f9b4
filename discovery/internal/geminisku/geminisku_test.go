package geminisku_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// skuOf returns a SKU that costs that many nano-dollars per token.
func skuOf(t *testing.T, description string, nanos int) *cloudbilling.SKU {
	t.Helper()
	var sku cloudbilling.SKU
	require.NoError(t, sku.UnmarshalJSON(fmt.Appendf(nil, `{"skuId":"A","description":%q,"pricingInfo":[{"effectiveTime":"2026-08-13T07:00:00Z",
		"pricingExpression":{"usageUnit":"count","baseUnit":"count","baseUnitConversionFactor":1,
		"tieredRates":[{"startUsageAmount":0,"unitPrice":{"currencyCode":"USD","units":"0","nanos":%d}}]}}]}`, description, nanos)))
	return &sku
}

// The public types show neither an unpriced SKU's direction nor a tier's limit; package
// discovery's tests check the other fields for many more descriptions.
func TestClassOfADescription(t *testing.T) {
	t.Parallel()
	const in, out = geminisku.Input, geminisku.Output
	for description, want := range map[string]geminisku.Class{
		"Generate content input token count gemini 3.7 flash text":                      {Model: "gemini 3.7 flash", Direction: in, Modality: "text", Mode: "standard"},
		"Generate_content text output token count for Gemini 3 Pro Image":               {Model: "gemini 3 pro image", Direction: out, Modality: "text", Mode: "standard"},
		"Generate content output token count gemini 2.5 flash short input text":         {Model: "gemini 2.5 flash", Direction: out, Modality: "text", Mode: "standard", Limit: 200_000},
		"Generate content input token count Gemini 2.5 Pro long input text":             {Model: "gemini 2.5 pro", Direction: in, Modality: "text", Mode: "standard", Threshold: 200_000},
		"GenerateContent input token count for Gemini 1.5 Pro when input is up to 128k": {Model: "gemini 1.5 pro", Direction: in, Modality: "text", Mode: "standard", Limit: 128_000},
		"GenerateContent input token count for Gemini 1.5 Pro over 128k tokens":         {Model: "gemini 1.5 pro", Direction: in, Modality: "text", Mode: "standard", Threshold: 128_000},
		"Generate content input token count gemini 3.5 flash lite text flex caching":    {Model: "gemini 3.5 flash lite", Direction: in, Modality: "text", Mode: "flex-cached"},
		"BidiGenerateContent audio input token count for Gemini 2.5 Flash":              {Model: "gemini 2.5 flash", Direction: in, Modality: "audio", Mode: "live"},
		// The prompt length isn't understood, so the SKU may be for any.
		"Generate content input token count gemini 4 pro text 200k+": {Model: "gemini 4 pro", Direction: in, Modality: "text", Mode: "unknown", UnknownTier: true},
		// An unknown tier's batch price can't pass for the list price.
		"Generate content input token count gemini 4 pro text batch 200k+": {Model: "gemini 4 pro", Direction: in, Modality: "text", Mode: "unknown"},
		"Generate content search query gemini 3 paid one":                  {Model: "gemini 3", Mode: "grounding"},
		"Generate content cached content gemini 2.5 flash storage by hour": {Model: "gemini 2.5 flash", Mode: "storage"},
		"Imagen 4 Generation": {Mode: "other"},
		"":                    {Mode: "other"},
	} {
		class, price, unit := geminisku.Read(skuOf(t, description, 750), noon)
		assert.Equal(t, want, class, description)
		assert.Equal(t, "count", unit)
		if priced := want.Direction != "" && want.Mode != "unknown"; assert.Equal(t, priced, price != nil, description) && priced {
			assert.Equal(t, 0.75, *price, description)
		}
	}
}

func TestSKUWithPriceZeroIsFree(t *testing.T) {
	t.Parallel()
	for description, mode := range map[string]string{
		"Generate content input token count gemini 3.7 flash text":       "free",
		"Generate content input token count gemini 3.7 flash text batch": "batch",
	} {
		class, price, _ := geminisku.Read(skuOf(t, description, 0), noon)
		assert.Equal(t, mode, class.Mode)
		require.NotNil(t, price)
		assert.Zero(t, *price)
	}
}

// A commitment isn't the price for a plain request, whatever its description.
func TestOnlyOnDemandHasAPrice(t *testing.T) {
	t.Parallel()
	for usage, priced := range map[string]bool{"": true, "OnDemand": true, "Commit1Yr": false, "Preemptible": false} {
		sku := skuOf(t, "Generate content input token count gemini 3.7 flash text", 750)
		sku.Category = &cloudbilling.Category{UsageType: usage}
		class, price, _ := geminisku.Read(sku, noon)
		assert.Equal(t, priced, price != nil, usage)
		assert.Equal(t, priced, class.Mode == geminisku.ModeStandard, usage)
	}
}

// Every recorded SKU names a Gemini model and a known unit, and reading it twice gives
// the same.
func TestRecordedSKUs(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("../../testdata/gemini_skus.json")
	require.NoError(t, err)
	var page cloudbilling.SKUPage
	require.NoError(t, page.UnmarshalJSON(body))
	require.Len(t, page.Skus, 46)
	modes := map[string]int{}
	for i := range page.Skus {
		class, price, unit := geminisku.Read(&page.Skus[i], noon)
		again, sameAgain, _ := geminisku.Read(&page.Skus[i], noon)
		assert.Equal(t, class, again)
		assert.Equal(t, price, sameAgain)
		assert.NotEmpty(t, unit)
		assert.True(t, class.Model == "" || strings.HasPrefix(class.Model, "gemini "), class.Model)
		modes[class.Mode]++
		_, before, _ := geminisku.Read(&page.Skus[i], time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
		assert.Nil(t, before, "no price was in force")
	}
	assert.Zero(t, modes[geminisku.ModeUnknown], "every recorded description is understood")
}
