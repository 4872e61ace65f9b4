package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// writeCalls writes n records to a file in a new folder, as a meter.Log does.
func writeCalls(tb testing.TB, n int) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	file, err := os.Create(filepath.Join(dir, "calls.jsonl"))
	require.NoError(tb, err)
	out := bufio.NewWriter(file)
	lines := json.NewEncoder(out)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		require.NoError(tb, lines.Encode(record(random, i)))
	}
	require.NoError(tb, out.Flush())
	require.NoError(tb, file.Close())
	return dir
}

// record makes up a record; one in fifty has no known cost.
func record(random *rand.Rand, i int) meter.Record {
	input, output := random.Int64N(100_000), random.Int64N(5000)
	r := meter.Record{
		ID: "chatcmpl-" + strconv.Itoa(i), Time: firstDay.Add(time.Duration(random.Int64N(int64(30 * 24 * time.Hour)))), Status: 200, Complete: true,
		Labels: map[string]string{"team": "team-" + strconv.Itoa(random.IntN(20))}, Duration: time.Duration(random.Int64N(int64(time.Minute))),
		Source: "https://example.com/pricing", USD: fmt.Sprintf("0.%09d", random.Int64N(1_000_000_000)),
	}
	if random.IntN(2) == 0 {
		r.Provider, r.Model, r.Path = discovery.OpenAI, "gpt-5.4", "/v1/responses"
		r.Usage = fmt.Appendf(nil, `{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			input, input/2, output, output/3, input+output)
	} else {
		r.Provider, r.Model, r.Path = discovery.Anthropic, "claude-sonnet-5-5", "/v1/messages"
		r.Usage = fmt.Appendf(nil, `{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard"}`, input, input/3, output)
	}
	if random.IntN(50) == 0 {
		r.USD, r.Source, r.Unpriced = "", "", "the response was closed early"
	}
	return r
}

// TestSumAgreesWithTheWarehouse reads the same calls files in both ways.
func TestSumAgreesWithTheWarehouse(t *testing.T) {
	t.Parallel()
	dir := writeCalls(t, 20_000)
	text, err := os.ReadFile(filepath.Join(dir, "calls.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more.jsonl"), text[:len(text)/2+strings.IndexByte(string(text[len(text)/2:]), '\n')+1], 0o600))
	w, err := open(t.Context())
	require.NoError(t, err)
	defer w.Close()
	stored, err := fileSums(t.Context(), w.DB, dir)
	require.NoError(t, err)
	counted, err := meter.Sum(nil, meter.SumOptions{By: []string{"day", "model"}}, dir)
	require.NoError(t, err)
	assert.Len(t, stored, 60)
	for i := range stored {
		stored[i].USD = strings.TrimRight(stored[i].USD, "0")
	}
	assert.Equal(t, counted, stored)
}
