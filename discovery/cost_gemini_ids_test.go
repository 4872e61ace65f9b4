package discovery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// The model of a call is an id and no hint: a part of a name may be the name of another model.
func TestLivePricesOfGeminiNeedAnID(t *testing.T) {
	t.Parallel()
	var skus []string
	for _, model := range []string{"3.9 flash", "3.9 flash lite", "omni flash", "2.0 flash", "8 pro preview"} {
		skus = append(skus, "Generate content input token count gemini "+model+" text", "1000", "Generate content output token count gemini "+model+" text", "2000")
	}
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(skus...))})
	c := s.client(t, keyOf(discovery.ServiceCloudBilling))
	for model, priced := range map[string]bool{
		"gemini-3.9-flash": true, "models/gemini-3.9-flash": true, "gemini-3.9-flash-001": true, "gemini-3.9-flash-preview": true,
		"gemini-3.9-flash-latest": true, "gemini-8-pro": true, "gemini-8-pro-preview": true, "gemini-omni-flash": true,
		"omni": false, "gemini-omni": false, "8": false, "gemini-8": false, "2.0": false, "gemini-2.0": false, "flash lite": false,
	} {
		usd, _ := exact(t, c, discovery.Gemini, model, thousand, time.Time{})
		assert.Equal(t, priced, usd == "0.003", "%s costs %q", model, usd)
		rows, err := c.Prices(t.Context(), discovery.Gemini, model)
		require.NoError(t, err)
		assert.Equal(t, priced, len(rows) > 0, model)
	}
	price, err := c.PricingForGeminiModel(t.Context(), "omni", discovery.GeminiPriceQuery{})
	require.NoError(t, err)
	require.NotNil(t, price, "a hint may be a part of the name")
}
