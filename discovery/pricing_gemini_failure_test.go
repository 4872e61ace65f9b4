package discovery_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const keyInvalid = `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`

// Every billing catalog failure gives an empty value, no error, and one Failure with its
// reason.
func TestReasonsOfPricingFailures(t *testing.T) {
	t.Parallel()
	retry := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(429)
	}
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		reason  discovery.Reason
		status  int
	}{
		"400":               {respondStatus(400, `{"error":{"code":400,"message":"page size","status":"INVALID_ARGUMENT"}}`), discovery.ReasonStatus, 400},
		"bad key":           {respondStatus(400, keyInvalid), discovery.ReasonDenied, 400},
		"401":               {respondStatus(401, "{}"), discovery.ReasonDenied, 401},
		"402":               {respondStatus(402, "{}"), discovery.ReasonStatus, 402},
		"403":               {respondStatus(403, `{"error":{"status":"PERMISSION_DENIED"}}`), discovery.ReasonDenied, 403},
		"404":               {respondStatus(404, ""), discovery.ReasonStatus, 404},
		"429":               {respondStatus(429, ""), discovery.ReasonRateLimited, 429},
		"429 retry":         {retry, discovery.ReasonRateLimited, 429},
		"500":               {respondStatus(500, "oops"), discovery.ReasonStatus, 500},
		"redirect":          {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, discovery.ReasonStatus, 302},
		"html":              {respond("<html>hello</html>"), discovery.ReasonDecode, 200},
		"empty":             {respond(""), discovery.ReasonDecode, 200},
		"null":              {respond("null"), discovery.ReasonDecode, 200},
		"array":             {respond("[]"), discovery.ReasonDecode, 200},
		"nothing":           {respond("{}"), discovery.ReasonDecode, 200},
		"no SKUs":           {respond(`{"skus":[]}`), discovery.ReasonDecode, 200},
		"error":             {respond(keyInvalid), discovery.ReasonDecode, 200},
		"error beside rows": {respond(strings.TrimSuffix(pageOf(skuOf("A", flashText, 1)), "}") + `,"error":{"code":500}}`), discovery.ReasonDecode, 200},
		"error on page 2": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("pageToken") == "" {
				_, _ = fmt.Fprintf(w, `{"skus":[%s],"nextPageToken":"2"}`, skuOf("A", flashText, 1))
				return
			}
			_, _ = fmt.Fprint(w, `{"error":{"code":500},"nextPageToken":""}`)
		}, discovery.ReasonDecode, 200},
		"truncated": {respond(pageOf(skuOf("A", flashText, 1))[:700]), discovery.ReasonDecode, 200},
		"trailing":  {respond(pageOf(skuOf("A", flashText, 1)) + "{}"), discovery.ReasonDecode, 200},
		"too large": {respond(`{"skus":[]` + strings.Repeat(" ", 70_000) + `}`), discovery.ReasonTooLarge, 200},
		"gzip bomb": {gzipBomb, discovery.ReasonTooLarge, 200},
		"endless":   {endless, discovery.ReasonTooLarge, 200},
		"endless list": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"nextPageToken":"%sx"}`, r.URL.Query().Get("pageToken"))
		}, discovery.ReasonPartial, 200},
		"same page": {respond(`{"nextPageToken":"x"}`), discovery.ReasonPartial, 200},
		"half body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"skus":`))
		}, discovery.ReasonNetwork, 200},
		"hang-up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, discovery.ReasonNetwork, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": row.handler})
			c := s.client(t, discovery.WithMaxResponseBytes(64_000))
			rows, err := c.FetchGeminiPricing(t.Context(), withKey)
			require.NoError(t, err)
			assert.Equal(t, []discovery.ProviderPricing{}, rows)
			price, err := c.PricingForGeminiModel(t.Context(), "flash", discovery.GeminiPriceQuery{PricingOptions: withKey})
			require.NoError(t, err)
			assert.Nil(t, price)
			require.Len(t, s.failures, 2, "one failure for each call")
			for i, operation := range []string{"FetchGeminiPricing", "PricingForGeminiModel"} {
				f := s.failures[i]
				assert.Equal(t, row.reason, f.Reason)
				assert.Equal(t, row.status, f.StatusCode)
				assert.Equal(t, models.Gemini, f.Provider)
				assert.Equal(t, operation, f.Operation)
				assert.Error(t, f.Err)
				assert.Equal(t, name == "429 retry", f.RetryAfter == 7*time.Second)
			}
			assert.Zero(t, s.count("elsewhere"))
			_, err = s.client(t, discovery.WithStrictErrors(), discovery.WithMaxResponseBytes(64_000)).FetchGeminiPricing(t.Context(), withKey)
			assert.ErrorAs(t, err, new(*discovery.Failure))
		})
	}
}

// endless writes until the client closes the connection.
func endless(w http.ResponseWriter, r *http.Request) {
	chunk := bytes.Repeat([]byte(" "), 8<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// A field with the wrong type makes the whole response a failure.
func TestWrongTypeInAnyFieldIsAFailure(t *testing.T) {
	t.Parallel()
	good := skuOf("A", flashText, 750)
	for name, page := range map[string]string{
		"skus":          `{"skus":{}}`,
		"sku":           pageOf(good, `7`),
		"null sku":      pageOf(good, `null`),
		"no skuId":      pageOf(good, `{"description":"x"}`),
		"skuId":         pageOf(skuOf("A", flashText, 750, `"skuId":"A"`, `"skuId":7`)),
		"description":   pageOf(skuOf("A", flashText, 750, `"`+flashText+`"`, `["x"]`)),
		"category":      pageOf(skuOf("A", flashText, 750, `"usageType":"OnDemand"`, `"usageType":{}`)),
		"pricingInfo":   pageOf(`{"skuId":"A","pricingInfo":{}}`),
		"entry":         pageOf(`{"skuId":"A","pricingInfo":[true]}`),
		"expression":    pageOf(`{"skuId":"A","pricingInfo":[{"pricingExpression":[]}]}`),
		"effectiveTime": pageOf(skuOf("A", flashText, 750, `"2026-08-13T07:00:00Z"`, `17`)),
		"usageUnit":     pageOf(skuOf("A", flashText, 750, `"usageUnit":"count"`, `"usageUnit":1`)),
		"baseUnit":      pageOf(skuOf("A", flashText, 750, `"baseUnit":"count"`, `"baseUnit":[]`)),
		"factor":        pageOf(skuOf("A", flashText, 750, `Factor":1`, `Factor":{}`)),
		"rates":         pageOf(`{"skuId":"A","pricingInfo":[{"pricingExpression":{"tieredRates":{}}}]}`),
		"rate":          pageOf(`{"skuId":"A","pricingInfo":[{"pricingExpression":{"tieredRates":[1]}}]}`),
		"start":         pageOf(skuOf("A", flashText, 750, `Amount":0`, `Amount":false`)),
		"unitPrice":     pageOf(`{"skuId":"A","pricingInfo":[{"pricingExpression":{"tieredRates":[{"unitPrice":"1"}]}}]}`),
		"currency":      pageOf(skuOf("A", flashText, 750, `"USD"`, `840`)),
		"units":         pageOf(skuOf("A", flashText, 750, `"units":"0"`, `"units":[0]`)),
		"nanos":         pageOf(skuOf("A", flashText, 750, `"nanos":750`, `"nanos":true`)),
		"token":         `{"skus":[` + good + `],"nextPageToken":5}`,
	} {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(page)})
		rows, err := s.inProcess().FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		assert.Empty(t, rows, name)
		assert.Equal(t, []string{"gemini decode"}, s.reasons(), name)
	}
}

func TestSlowBillingCatalogTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }})
		begin := time.Now()
		rows, err := s.inProcess().FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		assert.Empty(t, rows)
		assert.Equal(t, 30*time.Second, time.Since(begin))
		assert.Equal(t, []string{"gemini timeout"}, s.reasons())

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.inProcess().FetchGeminiPricing(ctx, withKey)
		require.NoError(t, err)
		assert.Equal(t, 31*time.Second, time.Since(begin))
		assert.Equal(t, []string{"gemini timeout", "gemini timeout"}, s.reasons())
	})
}

// Failures contain no key, even if the billing catalog or the transport returns it.
func TestNoPricingFailureShowsAKey(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"bad key %s"}}`, r.Header.Get("X-Goog-Api-Key"))
		}
	}
	dump := func(_ http.ResponseWriter, r *http.Request) { panic(fmt.Errorf("cannot send %v", r.Header)) }
	for _, handler := range []http.HandlerFunc{echo(200), echo(302), echo(400), echo(403), echo(429), echo(500), dump} {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": handler})
		c := s.inProcess(discovery.WithStrictErrors(), discovery.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
		_, err := c.FetchGeminiPricing(t.Context(), withKey)
		require.Error(t, err)
		fmt.Fprintf(&log, "%v %+v %#v %+v %#v", err, err, err, c, c)
		for e := err; e != nil; e = errors.Unwrap(e) {
			fmt.Fprintf(&log, "%v %+v %#v", e, e, e)
		}
	}
	assert.NotContains(t, log.String(), billingKey[:12])
	assert.Contains(t, log.String(), "[REDACTED]")
}

// An error instead of a later page must not cut the price list short.
func TestErrorInPlaceOfASKUPageIsAFailure(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`{"error":{"code":500,"message":"busy"}}`: "lists no SKU",
		`{"surprise":true,"skus":7}`:              "skus: ",
	} {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("pageToken") != "" {
				respond(page)(w, r)
				return
			}
			respond(fmt.Sprintf(`{"skus":[%s],"nextPageToken":"n"}`, skuOf("A", flashText, 750)))(w, r)
		}})
		rows, err := s.client(t).FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		assert.Empty(t, rows)
		require.Equal(t, []string{"gemini decode"}, s.reasons())
		assert.ErrorContains(t, s.failures[0], want)
	}
}
