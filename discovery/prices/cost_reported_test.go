package prices_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// reported is a response that once had a wrong cost, with the right one.
type reported struct {
	Name     string
	Provider models.Provider
	Model    string
	Body     string
	Usage    json.RawMessage
	Stream   string
	USD      prices.USD
	BoundUSD prices.USD `json:"bound_usd"`
	Complete bool
	At       time.Time
}

func (r *reported) read(t *testing.T) prices.Usage {
	t.Helper()
	if r.Usage != nil {
		u, err := prices.ParseUsage(r.Provider, r.Usage)
		require.NoError(t, err, r.Name)
		return u
	}
	res, err := prices.ParseResponse(r.Provider, []byte(r.Body))
	if r.Stream != "" {
		s := prices.NewStream(r.Provider)
		_, _ = s.Write([]byte(r.Stream))
		res, err = s.Response()
	}
	require.NoError(t, err, r.Name)
	assert.True(t, res.Complete, r.Name)
	return res.Usage
}

func TestReportedCosts(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/reported.jsonl")
	require.NoError(t, err)
	for line := range bytes.Lines(file) {
		var r reported
		require.NoError(t, json.Unmarshal(line, &r))
		usd, err := prices.BuiltIn().USDOf(prices.Call{Provider: r.Provider, Model: r.Model, Usage: r.read(t), At: r.At})
		var unpriced *prices.UnpricedError
		switch {
		case r.BoundUSD != "":
			if assert.ErrorAs(t, err, &unpriced, r.Name) {
				assert.Equal(t, r.BoundUSD, unpriced.BoundUSD, r.Name)
			}
		case r.USD != "":
			require.NoError(t, err, r.Name)
			assert.Equal(t, r.USD, usd, r.Name)
		}
	}
}

// The known part is a lower bound, except in an unknown mode.
func TestBoundUSD(t *testing.T) {
	t.Parallel()
	text := prices.Usage{Input: 100_000, Output: 10_000} // 0.315 USD at gpt-5.2
	for name, test := range map[string]struct {
		call  prices.Call
		bound prices.USD
	}{
		"an unknown fee":                {prices.Call{Usage: with(text, func(u *prices.Usage) { u.ToolUses = map[string]int64{"code_interpreter": 1} })}, "0.315"},
		"a known fee and an unknown":    {prices.Call{Usage: with(text, func(u *prices.Usage) { u.ToolUses = map[string]int64{"unknown": 1, "web_search": 2} })}, "0.335"},
		"an unknown count":              {prices.Call{Usage: with(text, func(u *prices.Usage) { u.Mode = "count:new_tokens" })}, "0.315"},
		"an unknown count of a batch":   {prices.Call{Usage: with(text, func(u *prices.Usage) { u.Mode = "batch+count:new_tokens" })}, "0.1575"},
		"tokens of another model":       {prices.Call{Usage: with(text, func(u *prices.Usage) { u.Mode = "other-model" })}, "0.315"},
		"audio without a price":         {prices.Call{Usage: with(text, func(u *prices.Usage) { u.AudioInput = 7 })}, "0.315"},
		"only a fee":                    {prices.Call{Model: "gpt-5-unknown", Usage: with(text, func(u *prices.Usage) { u.ToolUses = map[string]int64{"file_search": 2} })}, "0.005"},
		"an unknown model":              {prices.Call{Model: "gpt-none", Usage: text}, ""},
		"an unknown mode":               {prices.Call{Mode: "slow", Usage: text}, ""},
		"an unknown mode with a fee":    {prices.Call{Mode: "slow", Usage: with(text, func(u *prices.Usage) { u.ToolUses = map[string]int64{"web_search": 2} })}, ""},
		"an unknown mode and count":     {prices.Call{Mode: "slow", Usage: with(text, func(u *prices.Usage) { u.Mode = "count:new_tokens" })}, ""},
		"billed by duration":            {prices.Call{Usage: prices.Usage{Mode: "count:seconds"}}, ""},
		"an unknown kind of deployment": {prices.Call{Platform: prices.PlatformAzure, Usage: text}, "0.315"},
		"an unknown platform":           {prices.Call{Platform: "nowhere", Usage: text}, ""},
	} {
		call := test.call
		call.Provider, call.At = models.OpenAI, on(t, "2026-11-20")
		if call.Model == "" {
			call.Model = "gpt-5.2"
		}
		_, err := prices.BuiltIn().CostOf(call)
		var unpriced *prices.UnpricedError
		require.ErrorAs(t, err, &unpriced, name)
		assert.Equal(t, test.bound, unpriced.BoundUSD, name)
		_, again := prices.BuiltIn().USDOf(call)
		assert.Equal(t, err, again, name)
	}
}
