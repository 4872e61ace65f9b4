package discovery_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// The failure helps to find a better hint: it distinguishes a choice among several models from a doubt about one.
func TestFailureOfAnAmbiguousHintListsTheModels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		models []string
		hint   string
		want   string
	}{
		{[]string{"2.5 flash", "2.5 flash lite"}, "flash", "may mean any of gemini 2.5 flash, gemini 2.5 flash lite"},
		{[]string{"3 flash", "3 pro"}, "3", "may mean any of gemini 3 flash, gemini 3 pro"},
		{[]string{"2.5 flash lite", "3 pro"}, "2.5 flash", "may mean another model than gemini 2.5 flash lite"},
	} {
		s := serverOfModels(row.models...)
		assert.Equal(t, -1.0, priceOf(t, s, row.hint, discovery.Output, 0), row.hint)
		require.Len(t, s.failures, 1, row.hint)
		assert.ErrorContains(t, s.failures[0], row.want)
	}
}

// An error in place of a later page must not cut the price list short.
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
