package calls_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// manyFiles returns a directory with files that have several blocks and an invalid line
// each, and a path that doesn't exist.
func manyFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	for file := range 5 {
		var lines []string
		for i := range 4000 {
			lines = append(lines, fmt.Sprintf(`{"provider":"openai","model":"m","time":"2026-11-02T00:00:00Z","usage":{"n":1},"id":"%d-%d","labels":{"pad":"%s"}}`,
				file, i, strings.Repeat("x", 100)))
		}
		lines[1234] = "{"
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", file)), []byte(strings.Join(lines, "\n")), 0o600))
	}
	return []string{filepath.Join(dir, "missing"), dir}
}

func TestReadIsInOrder(t *testing.T) {
	t.Parallel()
	paths := manyFiles(t)
	text := func(r calls.Record, err error) string {
		if err != nil {
			return "error: " + err.Error()
		}
		line, _ := json.Marshal(r)
		return string(line)
	}
	var want []string
	for r, err := range calls.Read(calls.Options{Recorded: true}, paths...) {
		want = append(want, text(r, err))
	}
	require.Len(t, want, 5*4000+1)
	for range whole.Cases(3, 1) {
		var got []string
		for r, err := range calls.Read(calls.Options{Recorded: true}, paths...) {
			got = append(got, text(r, err))
		}
		assert.True(t, slices.Equal(want, got))
	}
}

// TestReadLeavesNothingBehind checks the goroutines after a loop is left early.
func TestReadLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	paths := manyFiles(t)
	for name, leave := range map[string]func(){"break": func() {}, "panic": func() { panic("body") }, "Goexit": runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) { // fails if a goroutine stays
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer func() { _ = recover() }()
				for range calls.Read(calls.Options{}, paths...) {
					leave()
					break
				}
			}()
			<-ended
			t.Log(name)
		})
	}
}

// countedLines cover all ways to read usage: every form, fees, charges, image paths, and
// lines that can't be counted.
const countedLines = `{"provider":"openai","model":"gpt-5.2","time":"2026-11-02T00:00:00+01:00","usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4}}}
{"provider":"OpenAI","model":"gpt-5.2","time":"2026-11-02T00:00:00Z","usd":"0.5","usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}
{"model":"claude-opus-5","time":"2026-11-02T00:00:00Z","usage":{"input_tokens":7,"output_tokens":2,"cache_read_input_tokens":5},"requests":{"web_search":2}}
{"model":"claude-opus-5","time":"2026-11-02T00:00:00Z","usage":{"input_tokens":7,"output_tokens":2},"requests":{"web_search":-2}}
{"provider":"gemini","model":"gemini-2.5-flash","time":"2026-11-02T00:00:00Z","usage":{"promptTokenCount":5,"candidatesTokenCount":2,"totalTokenCount":7},"mode":"batch"}
{"provider":"openai","model":"gpt-image-2","time":"2026-11-02T00:00:00Z","usage":{"input_tokens":5,"output_tokens":2,"total_tokens":7},"path":"/v1/images/generations"}
{"platform":"openrouter","api":"openai","model":"x/y","time":"2026-11-02T00:00:00Z","usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"cost":0.001}}
{"platform":"bedrock","api":"converse","provider":"anthropic","region":"eu-west-1","model":"anthropic.claude-opus-5","time":"2026-11-02T00:00:00Z","usage":{"inputTokens":5,"outputTokens":2,"totalTokens":7}}
{"provider":"groq","model":"llama","time":"2026-11-02T00:00:00Z","usd":null,"unpriced":"no price","usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}
{"provider":"openai","model":"gpt-5.2","time":"2026-11-02T00:00:00Z","usage":{"prompt_tokens":-9}}
{"provider":"openai","model":"gpt-5.2","time":"2026-11-02T00:00:00Z","usage":{"n":1}}
{"provider":"openai","api":"other","model":"gpt-5.2","time":"2026-11-02T00:00:00Z","usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}
{"provider":"openai","model":"gpt-5.2","time":"2026-11-02T00:00:00Z"}
{"provider":"openai","model":"gpt-5.2","time":"2026-11-02T00:00:00Z","usd":null,"status":200,"complete":false,"stream":true,"bound_usd":"0.25","usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12},"labels":{"team":"a","none":null}}
{"provider":"openai","model":"gpt-5.2","time":"2026-11-02T00:00:00Z","status":429,"usd":"0"}
{
`

// TestReadCounts compares counts read along with the lines to Count on the records.
func TestReadCounts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(countedLines), 0o600))
	for _, reprice := range []bool{false, true} {
		var want []calls.Record
		var wantErrs []string
		for r, err := range calls.Read(calls.Options{Recorded: true}, file) {
			c := r
			if err == nil {
				if c, err = r.Count(nil, reprice); err != nil {
					c = r
				}
			}
			want, wantErrs = append(want, c), append(wantErrs, fmt.Sprint(err))
		}
		require.Len(t, want, 16)
		var got []calls.Record
		var errs []string
		for c, err := range calls.Read(calls.Options{Reprice: reprice}, file) {
			if at := (*calls.LineError)(nil); !c.Time.IsZero() && errors.As(err, &at) {
				err = at.Err
			}
			got, errs = append(got, c), append(errs, fmt.Sprint(err))
		}
		assert.Equal(t, want, got)
		assert.Equal(t, wantErrs, errs)
	}
}
