package calls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCount(t *testing.T) {
	t.Parallel()
	usage := []byte(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("", 3600))
	type want struct {
		usd, bound           prices.USD
		failed, subscription bool
	}
	for name, row := range map[string]struct {
		r             calls.Record
		want, reprice want
	}{
		"recorded":     {calls.Record{USD: "7", Usage: usage}, want{usd: "7"}, want{usd: "0.0035"}},
		"without":      {calls.Record{Usage: usage}, want{usd: "0.0035"}, want{usd: "0.0035"}},
		"known":        {calls.Record{USD: "7", BoundUSD: "3", Unpriced: "x"}, want{usd: "7"}, want{usd: "7"}},
		"bounded":      {calls.Record{BoundUSD: "3", Unpriced: "closed", Usage: usage, Incomplete: true}, want{bound: "3"}, want{bound: "0.0035"}},
		"subscription": {calls.Record{USD: "2", Billing: "subscription"}, want{usd: "2", subscription: true}, want{usd: "2", subscription: true}},
		"charged":      {calls.Record{USD: "2", Usage: usage, Incomplete: true}, want{usd: "2"}, want{usd: "2"}},
		"refused":      {calls.Record{USD: "0", Status: 429}, want{usd: "0", failed: true}, want{usd: "0", failed: true}},
		"no response":  {calls.Record{Unpriced: "timeout"}, want{failed: true}, want{failed: true}},
	} {
		row.r.Model, row.r.Time = "gpt-4o", at
		for reprice, expected := range map[bool]want{false: row.want, true: row.reprice} {
			c, err := row.r.Count(nil, reprice)
			require.NoError(t, err, name)
			assert.Equal(t, expected, want{c.USD, c.BoundUSD, c.Failed(), c.Subscribed()}, "%s, reprice %v", name, reprice)
			assert.Equal(t, []any{models.OpenAI, row.r.Usage != nil, at.UTC()}, []any{c.Provider, c.HasCounts, c.Time}, name)
		}
	}
	for _, wrong := range []calls.Record{{}, {USD: "1e3"}, {Unpriced: "x", BoundUSD: "-1"}, {USD: "1", UpstreamUSD: "?"}, {Usage: []byte(`{"secret":1}`)}} {
		_, err := wrong.Count(nil, false)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "1e3")
	}
}
