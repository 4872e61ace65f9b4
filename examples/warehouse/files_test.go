package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// writeCalls writes n records to a file in a new directory, as a calls.Log does.
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
func record(random *rand.Rand, i int) calls.Record {
	input, output := random.Int64N(100_000), random.Int64N(5000)
	r := calls.Record{
		ID: "chatcmpl-" + strconv.Itoa(i), Time: firstDay.Add(time.Duration(random.Int64N(int64(30 * 24 * time.Hour)))), Status: 200,
		Labels: map[string]string{"team": "team-" + strconv.Itoa(random.IntN(20))}, Duration: time.Duration(random.Int64N(int64(time.Minute))),
		SourceKey: "https://example.com/pricing", USD: prices.USD(fmt.Sprintf("0.%09d", random.Int64N(1_000_000_000))),
	}
	if random.IntN(2) == 0 {
		r.Provider, r.Model, r.Path = models.OpenAI, "gpt-5.4", "/v1/responses"
		r.Usage = fmt.Appendf(nil, `{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			input, input/2, output, output/3, input+output)
	} else {
		r.Provider, r.Model, r.Path = models.Anthropic, "claude-sonnet-5-5", "/v1/messages"
		r.Usage = fmt.Appendf(nil, `{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard"}`, input, input/3, output)
	}
	if random.IntN(50) == 0 {
		r.USD, r.SourceKey, r.Unpriced = "", "", "the response was closed early"
	}
	return r
}

// fileSums returns DuckDB's sums by day and model for the calls files in dir. Amounts
// have up to 15 decimal places.
func fileSums(ctx context.Context, db *sql.DB, dir string) ([]calls.Group, error) {
	rows, err := db.QueryContext(ctx, `
		SELECT strftime(time, '%Y-%m-%d') AS day, model, count(*), count(*) - count(usd), CAST(sum(usd) AS VARCHAR),
			sum(coalesce(u.input_tokens, 0) - CASE provider WHEN 'openai' THEN coalesce(u.input_tokens_details.cached_tokens, 0) ELSE 0 END),
			sum(coalesce(u.input_tokens_details.cached_tokens, u.cache_read_input_tokens, 0)), sum(coalesce(u.output_tokens, 0))
		FROM (SELECT provider, model, time, usd, usage AS u FROM read_json('`+dir+`/*.jsonl', format = 'newline_delimited', columns = {
			provider: 'VARCHAR', model: 'VARCHAR', time: 'TIMESTAMP', usd: 'DECIMAL(38, 15)',
			usage: 'STRUCT(input_tokens BIGINT, output_tokens BIGINT, cache_read_input_tokens BIGINT, input_tokens_details STRUCT(cached_tokens BIGINT))'}))
		GROUP BY day, model ORDER BY day, model`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []calls.Group
	for rows.Next() {
		r := calls.Group{Values: make([]string, 2)}
		if err := rows.Scan(&r.Values[0], &r.Values[1], &r.Calls, &r.Unpriced, &r.USD, &r.Usage.Input, &r.Usage.CacheRead, &r.Usage.Output); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

func TestSumAgreesWithTheWarehouse(t *testing.T) {
	t.Parallel()
	dir := writeCalls(t, 20_000)
	text, err := os.ReadFile(filepath.Join(dir, "calls.jsonl"))
	require.NoError(t, err)
	more, _, _ := strings.Cut(string(text), `"chatcmpl-9999"`)
	more = strings.ReplaceAll(more[:strings.LastIndexByte(more, '\n')+1], `"chatcmpl-`, `"other-`) // not copies, which would count once
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more.jsonl"), []byte(more), 0o600))
	w, err := open(t.Context())
	require.NoError(t, err)
	defer w.Close()
	stored, err := fileSums(t.Context(), w.DB, dir)
	require.NoError(t, err)
	counted, err := calls.Sum(calls.Options{By: [][]string{{"day", "model"}}}, dir)
	require.NoError(t, err)
	assert.Len(t, stored, 60)
	for i, g := range counted[0] {
		want := calls.Group{Values: g.Values, Calls: g.Calls, Unpriced: g.Unpriced, USD: g.USD, Usage: g.Usage}
		stored[i].USD = stored[i].USD.Add("0")
		require.Equal(t, want, stored[i])
	}
}

// The directory has a subdirectory, a compressed file, times in another zone and a torn
// line.
func TestFolderInDuckDB(t *testing.T) {
	t.Parallel()
	dir := writeCalls(t, 5000)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "it's another"), 0o700))
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write([]byte(`{"provider":"xai","model":"grok-4","time":"2026-05-02T00:30:00+01:00","usage":null,"usd":"0.000000000000000001"}` + "\n" +
		`{"provider":"xai","model":"grok-4","time":"2026-05-01T23:59:59.999999999Z","usage":null,"usd":"123456789012345.5"}` + "\n"))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "it's another", "a.jsonl.gz"), packed.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "torn.jsonl"), []byte(`{"provider":"xai","mod`), 0o600))
	var out, errs strings.Builder
	differences, err := runFiles(t.Context(), &out, &errs, dir)
	require.NoError(t, err)
	assert.Zero(t, differences, out.String())
	assert.Regexp(t, `^12345678901\d{4}\.\d{8,9}0*1 USD; calls: 5002, of which without a known cost: \d\d+; 61 sums by day and model, 0 differences\n$`, out.String())
	assert.Contains(t, errs.String(), "torn.jsonl:1: ")
}

// Only calls.Sum prices a line without a cost.
func TestOneDigitOfAFileIsADifference(t *testing.T) {
	t.Parallel()
	dir := writeCalls(t, 10)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.jsonl"), []byte(`{"provider":"openai","model":"gpt-5.4","time":"2026-05-09T00:00:00Z","usage":{"input_tokens":1,"output_tokens":0,"total_tokens":1}}`), 0o600))
	var out strings.Builder
	differences, err := runFiles(t.Context(), &out, io.Discard, dir)
	require.NoError(t, err)
	assert.Equal(t, 1, differences, out.String())
	assert.Contains(t, out.String(), "2026-05-09 openai gpt-5.4: calls.Sum has ")
	assert.Equal(t, 1, compareFiles(io.Discard, nil, []calls.Group{{Values: []string{"2026-05-09"}, USD: "0"}}))

	_, err = runFiles(t.Context(), io.Discard, io.Discard, t.TempDir())
	require.ErrorContains(t, err, "there are no calls in ")
}
