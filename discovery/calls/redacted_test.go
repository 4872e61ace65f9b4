package calls_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

var credential = "sk-" + strings.Repeat("Ab1", 16)

// All strings in the record contain a credential, even in fields added later.
func TestALogStoresNoCredential(t *testing.T) {
	t.Parallel()
	usage := json.RawMessage(`{"prompt_tokens":1,"` + credential + `_tokens":2,"details":{"note":"` + credential + `"}}`)
	r := calls.Record{Usage: usage, ToolUses: map[string]int64{credential: 1}, Labels: map[string]string{"a": credential, credential: "b"}}
	fields := reflect.ValueOf(&r).Elem()
	for i := range fields.NumField() {
		if fields.Field(i).Kind() == reflect.String {
			fields.Field(i).SetString("/v1/" + credential + "/x")
		}
	}
	dir := t.TempDir()
	log, err := calls.OpenLog(dir)
	require.NoError(t, err)
	log.Record(r)
	require.NoError(t, log.Close())
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	line, err := os.ReadFile(names[0])
	require.NoError(t, err)
	assert.NotContains(t, string(line), credential)
	assert.Contains(t, string(line), `"path":"/v1/[REDACTED:openai-api-key]/x"`)
	assert.Contains(t, string(line), `"[REDACTED:openai-api-key]":2`)
	assert.NotContains(t, string(line), `"id"`, "other calls could have the same one")
	assert.Contains(t, r.Labels["a"], credential, "the caller's record does not change")
}

func TestARecordWithoutACredentialStays(t *testing.T) {
	t.Parallel()
	r := calls.Record{ID: "chatcmpl-0123456789abcdef0123456789", Model: "gpt-4o", Labels: map[string]string{"user": "ann"}, Usage: json.RawMessage(`{"prompt_tokens":1}`)}
	assert.Equal(t, r, r.Redacted())
	r.Path = "/openai/v1/gsk_" + strings.Repeat("a1", 26)
	assert.Equal(t, "/openai/v1/[REDACTED:groq-api-key]", r.Redacted().Path)
}

// A match that starts within an escape leaves invalid JSON behind.
func TestAUsageThatIsNoJSONWithoutACredentialIsLeftOut(t *testing.T) {
	t.Parallel()
	r := calls.Record{Usage: json.RawMessage(`{"note":"\u` + strings.Repeat("00e9", 11) + ` aws"}`)}
	assert.Nil(t, r.Redacted().Usage)
}

// A gateway names threads, and a provider names models and counts. Readers refuse lines
// over 1 MiB.
func TestLongTextsAreCutAndTheCallIsKept(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é<", 1<<16)
	r := calls.Record{Labels: map[string]string{"thread": long, long: "b"}, ToolUses: map[string]int64{long: 1}}
	fields := reflect.ValueOf(&r).Elem()
	for i := range fields.NumField() {
		if fields.Field(i).Kind() == reflect.String {
			fields.Field(i).SetString(long)
		}
	}
	r.Provider, r.Time, r.USD, r.BoundUSD, r.UpstreamUSD = "openai", time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), "0.5", "", "1"
	many := r
	many.Usage, many.Labels = json.RawMessage(`{"prompt_tokens":1,"note":"`+long+`"}`), map[string]string{}
	for i := range 1000 {
		many.Labels[strconv.Itoa(i)] = long[:2000]
	}
	dir := t.TempDir()
	log, err := calls.OpenLog(dir)
	require.NoError(t, err)
	log.Record(r)
	log.Record(many)
	require.NoError(t, log.Close())
	var usd []prices.USD
	for read, err := range calls.Read(calls.Options{Recorded: true}, dir) {
		require.NoError(t, err)
		usd = append(usd, read.USD)
		if len(read.Labels) > 0 {
			assert.Regexp(t, `^(é<)+é?…$`, read.Labels["thread"])
			assert.Equal(t, r.Redacted(), read)
		}
	}
	assert.Equal(t, []prices.USD{"0.5", "0.5"}, usd)
	assert.Empty(t, r.Redacted().ID, "other calls could have the same one")
	totals, err := calls.NewTotals("label:thread")
	require.NoError(t, err)
	require.NoError(t, totals.Add(r.Redacted()))
	assert.Len(t, totals.Groups(), 1)
}

// Readers that take the first value and readers that take the last one would count
// different amounts.
func TestLinesHaveEachKeyOnce(t *testing.T) {
	t.Parallel()
	const begin = `{"provider":"openai","model":"gpt-4o","time":"2026-11-02T00:00:00Z","usage":{"prompt_tokens":1},`
	for _, line := range []string{
		begin + `"usd":"5","usd":"0.01"}`,
		begin + `"usd":"5","us\u0064":"0.01"}`,
		begin + `"usd":null,"usd":"0.01"}`,
		begin + `"usd":"5","model":"gpt-4o"}`,
		begin + `"other":1,"other":1}`,
		begin + `"":1,"":1}`,
		begin + `"labels":{"user":"a","user":"b"}}`,
		begin + `"requests":{"web_search":1,"web_search":100}}`,
	} {
		_, err := sumOf(t, calls.Options{}, line)
		require.Error(t, err, line)
		assert.ErrorContains(t, err, "a key is repeated")
		var r calls.Record
		require.ErrorContains(t, r.UnmarshalJSON([]byte(line)), "a key is repeated", line)
	}
	rows, err := sumOf(t, calls.Options{}, begin+`"usd":"5","labels":{"usd":"a","model":"b"},"requests":{"usd":1,"model":1},"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}`)
	require.NoError(t, err)
	assert.EqualValues(t, "5", rows[0].USD)
}
