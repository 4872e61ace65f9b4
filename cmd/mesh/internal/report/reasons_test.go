package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Every reason in package prices has its own group, even in an older wording.
func TestReasonsOfPrices(t *testing.T) {
	t.Parallel()
	for _, e := range []prices.UnpricedError{
		{Missing: "model"}, {Missing: "period"}, {Missing: "tier"}, {Missing: "input"}, {Missing: "cache_read"}, {Missing: "cache_write_5m"}, {Missing: "cache_write_1h"}, {Missing: "output"},
		{Missing: "audio"}, {Missing: "image"}, {Missing: "mode", Name: "flex"}, {Missing: "region"}, {Missing: "platform"}, {Missing: "tool", Name: "web_search"}, {Missing: "duration"},
		{Missing: "count", Name: "new_tokens"}, {Missing: "of_tomorrow"},
	} {
		for _, text := range []string{e.Error(), "discovery" + e.Error()[len("prices"):]} {
			e.Model = "gpt-5.2"
			r := build(t, report.Options{}, calls.Record{Provider: models.OpenAI, Model: "gpt-5.2", Time: at(1), Status: 200, Unpriced: text})
			require.Len(t, r.Unpriced.Groups, 1)
			g := r.Unpriced.Groups[0]
			assert.Equal(t, string(e.Missing), g.Reason)
			assert.NotEmpty(t, g.Fix)
			assert.Equal(t, g.Fixable, strings.Contains(g.Fix, "--reprice"), g.Fix)
			if e.Name != "" {
				assert.Contains(t, g.Text, ": "+e.Name)
			}
		}
	}
}

func TestReasonsOfTheMeter(t *testing.T) {
	t.Parallel()
	usage := []byte(`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}`)
	var all []calls.Record
	for want, r := range map[string]calls.Record{
		"broken":        {Status: 200, Stream: true, Usage: usage, Unpriced: "unexpected EOF", BoundUSD: "0.5"},
		"stream-counts": {Status: 200, Stream: true, Unpriced: "the stream has no counts; stream_options.include_usage requests them"},
		"endpoint":      {Status: 200, Unpriced: "speech has no counts"},
		"failed":        {Unpriced: "there was no response"},
		"other":         {Status: 200, Unpriced: "moonlight"},
	} {
		r.Provider, r.Model, r.Time = models.OpenAI, "gpt-4o", at(1)
		all = append(all, r)
		g := build(t, report.Options{}, r).Unpriced.Groups
		require.Len(t, g, 1)
		assert.Equal(t, want, g[0].Reason)
		assert.Equal(t, want == "broken" || want == "stream-counts", g[0].Fixable, want)
	}
	r := build(t, report.Options{}, append(all, all[0], priced(at(1), "1"))...)
	checkReport(t, r)
	assert.Equal(t, []any{6, 6.0 / 7}, []any{r.Unpriced.Calls, *r.Unpriced.Share})
	assert.Equal(t, 2, r.Unpriced.Groups[0].Calls)
	assert.Contains(t, r.Codes, report.CodeUnpriced)
}
