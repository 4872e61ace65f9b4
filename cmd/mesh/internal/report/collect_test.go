package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Recorded costs stay if there are no counts, or if the call failed.
func TestRepriceComputesCostsAgain(t *testing.T) {
	t.Parallel()
	usage := []byte(`{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000,"prompt_tokens_details":{"cached_tokens":0}}`)
	call := func(change func(r *calls.Record)) calls.Record {
		r := calls.Record{Provider: models.OpenAI, Model: "gpt-4o", Time: at(2), Status: 200, Path: "/v1/chat/completions", Usage: usage, USD: "7"}
		change(&r)
		return r
	}
	for name, row := range map[string]struct {
		call calls.Record
		want string
	}{
		"recorded":          {call(func(*calls.Record) {}), "2.5"},
		"unpriced before":   {call(func(r *calls.Record) { r.USD, r.Unpriced = "", "no price" }), "2.5"},
		"minimal":           {call(func(r *calls.Record) { r.Path, r.Status = "", 0 }), "2.5"},
		"without counts":    {call(func(r *calls.Record) { r.Usage = nil }), "7"},
		"broken off":        {call(func(r *calls.Record) { r.Incomplete = true }), "7"},
		"no counts":         {call(func(r *calls.Record) { r.Path = "/v1/containers" }), "7"},
		"failed":            {call(func(r *calls.Record) { r.Status, r.USD = 500, "0" }), "0"},
		"not usage":         {call(func(r *calls.Record) { r.Usage = []byte(`{"x":1}`) }), "7"},
		"no price any more": {call(func(r *calls.Record) { r.Model = "gpt-none" }), "0"},
	} {
		r := build(t, report.Options{Reprice: true}, row.call)
		assert.EqualValues(t, row.want, r.Total.USD, name)
		assert.Zero(t, r.Errors.Count, name)
	}
	assert.EqualValues(t, "7", build(t, report.Options{}, call(func(*calls.Record) {})).Total.USD)
}

// A line whose tokens overflow the sum is reported, and isn't counted.
func TestTokensDoNotOverflow(t *testing.T) {
	t.Parallel()
	const most = 1023 // times 2^53, less than 2^63
	line := `{"provider":"anthropic","model":"m","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":9007199254740992,"output_tokens":0},"usd":"1"}` + "\n"
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat(line, most+2)), 0o600))
	r, err := report.Read(report.Options{Now: now}, file)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Errors.Count)
	for i, text := range r.Errors.First {
		assert.Contains(t, text, fmt.Sprintf("calls.jsonl:%d: the tokens up to this line do not fit in a sum", most+1+i))
	}
	assert.Equal(t, []any{most, int64(most << 53)}, []any{r.Total.Calls, r.Total.Input})
}
