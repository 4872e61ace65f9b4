package discovery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const flashText = "Generate content input token count gemini 3.7 flash text"

func TestFetchGeminiPricingSendsTheDocumentedRequest(t *testing.T) {
	t.Parallel()
	var got *http.Request
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, r *http.Request) {
		got = r
		_, _ = w.Write([]byte(pageOf(skuOf("A", flashText, 750))))
	}})
	rows, err := s.client(t).FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret(" " + billingKey + "\n")})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, "GET /cloudbilling/v1/services/AEFD-7695-64FA/skus", got.Method+" "+got.URL.Path)
	assert.Equal(t, "currencyCode=USD&pageSize=5000", got.URL.Query().Encode())
	assert.Equal(t, billingKey, got.Header.Get("X-Goog-Api-Key"), "trimmed")
	assert.Regexp(t, `^mesh-go/`, got.Header.Get("User-Agent"))
	assert.NotContains(t, got.URL.String(), billingKey)

	verified := rows[0].VerifiedAt
	require.NotNil(t, verified)
	age, known := rows[0].Age(time.Now())
	assert.True(t, known)
	assert.Less(t, age, time.Minute)
	assert.Equal(t, discovery.ProviderPricing{
		Provider: models.Gemini, ModelHint: "gemini 3.7 flash", SKUID: "A", SKUDescription: flashText, InputPerMTok: ptr(0.75),
		UsageUnit: ptr("count"), Source: discovery.SourceCloudBilling, VerifiedAt: verified, Modality: "text", Mode: "standard",
	}, rows[0])
}

func TestBillingKeyPrecedence(t *testing.T) {
	for _, row := range []struct{ argument, billing, cloud, want string }{
		{"a", "b", "c", "a"},
		{"", "b", "c", "b"},
		{" ", " b ", "c", "b"},
		{"", " ", "c", "c"},
		{"", "", "c\n", "c"},
		{"", "", " ", ""},
	} {
		t.Setenv("GOOGLE_CLOUD_BILLING_API_KEY", row.billing)
		t.Setenv("GOOGLE_CLOUD_API_KEY", row.cloud)
		t.Setenv("GEMINI_API_KEY", "the key of the chat")
		got := ""
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("X-Goog-Api-Key")
			_, _ = w.Write([]byte(pageOf(skuOf("A", flashText, 750))))
		}})
		rows, err := s.inProcess().FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret(row.argument)})
		require.NoError(t, err)
		assert.Equal(t, row.want, got)
		if row.want == "" {
			assert.Equal(t, []discovery.ProviderPricing{}, rows)
			assert.Equal(t, []string{"gemini missing_credential"}, s.reasons())
			assert.Zero(t, s.count("cloudbilling"))
			assert.Contains(t, s.failures[0].Error(), "GOOGLE_CLOUD_BILLING_API_KEY")
			continue
		}
		assert.Len(t, rows, 1)
		assert.Empty(t, s.reasons())
	}
}

func TestPricingForGeminiModelWithoutAKey(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_BILLING_API_KEY", "")
	t.Setenv("GOOGLE_CLOUD_API_KEY", "")
	s := recordedServer(t)
	price, err := s.inProcess().PricingForGeminiModel(t.Context(), "3.7 flash", discovery.GeminiPriceQuery{})
	require.NoError(t, err)
	assert.Nil(t, price)
	require.Equal(t, []string{"gemini missing_credential"}, s.reasons())
	assert.Equal(t, "PricingForGeminiModel", s.failures[0].Operation)

	_, err = s.inProcess(discovery.WithStrictErrors()).PricingForGeminiModel(t.Context(), "3.7 flash", discovery.GeminiPriceQuery{})
	assert.ErrorAs(t, err, new(*discovery.Failure))
}

// paged serves three pages. Their tokens contain characters that a URL must escape.
func paged(w http.ResponseWriter, r *http.Request) {
	switch token := r.URL.Query().Get("pageToken"); token {
	case "":
		_, _ = fmt.Fprintf(w, `{"skus":[%s],"nextPageToken":"a+b/c= &d"}`, skuOf("A", flashText, 750))
	case "a+b/c= &d":
		_, _ = w.Write([]byte(`{"nextPageToken":"third"}`)) // a page may be empty
	case "third":
		_, _ = fmt.Fprintf(w, `{"skus":[%s]}`, skuOf("B", strings.Replace(flashText, "input", "output", 1), 3750))
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

func TestPagesAreFollowed(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": paged})
	rows, err := s.client(t).FetchGeminiPricing(t.Context(), withKey)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, "AB", rows[0].SKUID+rows[1].SKUID)
	assert.Equal(t, 3, s.count("cloudbilling"))
}

// A failure on any page fails the whole list.
func TestFailedPageEmptiesThePriceList(t *testing.T) {
	t.Parallel()
	first := fmt.Sprintf(`{"skus":[%s],"nextPageToken":"n"}`, skuOf("A", flashText, 750))
	for reason, second := range map[string]http.HandlerFunc{
		"status": respondStatus(500, ""), "decode": respond("<html>"), "rate_limited": respondStatus(429, ""), "partial": respond(first),
	} {
		s := newFakeServer(nil)
		s.handlers = map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("pageToken") != "" {
				second(w, r)
				return
			}
			_, _ = w.Write([]byte(first))
		}}
		rows, err := s.client(t).FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		assert.Equal(t, []discovery.ProviderPricing{}, rows)
		assert.Equal(t, []string{"gemini " + reason}, s.reasons())
	}
}

func TestInvalidPricingArguments(t *testing.T) {
	t.Parallel()
	s := recordedServer(t)
	c := s.inProcess()
	_, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{TTL: -1})
	requireValueError(t, err, "TTL")
	for field, row := range map[string]struct {
		hint string
		q    discovery.GeminiPriceQuery
	}{
		"hint":                {" _- ", discovery.GeminiPriceQuery{}},
		"Direction":           {"flash", discovery.GeminiPriceQuery{Direction: "sideways"}},
		"TierThresholdTokens": {"flash", discovery.GeminiPriceQuery{TierThresholdTokens: -1}},
		"TTL":                 {"flash", discovery.GeminiPriceQuery{PricingOptions: discovery.PricingOptions{TTL: -1}}},
	} {
		price, err := c.PricingForGeminiModel(t.Context(), row.hint, row.q)
		requireValueError(t, err, field)
		assert.Nil(t, price)
	}
	assert.Zero(t, s.count("cloudbilling"))
	assert.Empty(t, s.reasons())
}

func TestPricingOptionsPrintNoKey(t *testing.T) {
	t.Parallel()
	q := discovery.GeminiPriceQuery{Direction: discovery.Input, TierThresholdTokens: 128_000, PricingOptions: withKey}
	marshalled, err := json.Marshal(q)
	require.NoError(t, err)
	for _, value := range []any{withKey, &withKey, q, &q, []any{q}} {
		marshalled = fmt.Appendf(marshalled, "%v %+v %#v %s", value, value, value, value)
	}
	assert.NotContains(t, string(marshalled), billingKey)
	assert.Contains(t, fmt.Sprintf("%+v", q), "128000", "the other fields are printed")
}
