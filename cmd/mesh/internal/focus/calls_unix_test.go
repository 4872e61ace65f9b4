//go:build unix

package focus_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// BenchmarkFocus writes 100,000 records as FOCUS rows, alternating with calls.Sum on the
// same file, so that both see the same machine load. Times are the fastest runs'
// processor times in user mode.
func BenchmarkFocus(b *testing.B) {
	file := writePriced(b, 100_000)
	rows, sum := time.Duration(1<<62), time.Duration(1<<62)
	for b.Loop() {
		sum = min(sum, userTime(b, func() error {
			_, err := calls.Sum(calls.Options{By: [][]string{{"day", "model"}}}, file)
			return err
		}))
		rows = min(rows, userTime(b, func() error { return writeRows(io.Discard, file) }))
	}
	b.ReportMetric(sum.Seconds(), "sum-s")
	b.ReportMetric(rows.Seconds(), "focus-s")
	b.ReportMetric(rows.Seconds()/sum.Seconds(), "ratio")
}

func userTime(b *testing.B, run func() error) time.Duration {
	b.Helper()
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	if err := run(); err != nil {
		b.Fatal(err)
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	return time.Duration(after.Utime.Nano() - before.Utime.Nano())
}

func writeRows(out io.Writer, file string) error {
	records := focus.NewCalls(nil, "")
	for r, err := range calls.Read(calls.Options{Recorded: true}, file) {
		if err == nil {
			err = records.Add(r)
		}
		if err != nil {
			return err
		}
	}
	return records.WriteCSV(out)
}

// writePriced writes n lines as a Log does: calls to five models, one every 2.6 s, with
// list prices and two labels.
func writePriced(b *testing.B, n int) (name string) {
	b.Helper()
	name = filepath.Join(b.TempDir(), "calls.jsonl")
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	out, random := bufio.NewWriter(file), rand.New(rand.NewPCG(1, 2))
	lines, first := json.NewEncoder(out), time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		if err := lines.Encode(priced(b, i, first.Add(time.Duration(i)*2592*time.Millisecond), random)); err != nil {
			b.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return name
}

func priced(b *testing.B, i int, at time.Time, random *rand.Rand) calls.Record {
	b.Helper()
	const openAI = `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"audio_tokens":0},` +
		`"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`
	const anthropic = `{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard"}`
	input, output := 1+random.IntN(20_000), 1+random.IntN(2000)
	list := [...]string{"gpt-4o-mini", "gpt-4.1", "gpt-5", "claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805"}
	r := calls.Record{
		Provider: models.OpenAI, Model: list[random.IntN(len(list))], Time: at, ID: fmt.Sprintf("resp_%032x", i), Path: "/v1/chat/completions",
		Labels: map[string]string{"env": fmt.Sprintf("env-%d", random.IntN(2)), "team": fmt.Sprintf("team-%d", random.IntN(5))},
		Usage:  fmt.Appendf(nil, openAI, input, output, input+output, input/2), Status: 200, Duration: time.Second,
	}
	if r.Model[0] == 'c' {
		r.Provider, r.Path, r.Usage = models.Anthropic, "/v1/messages", fmt.Appendf(nil, anthropic, input, input/2, output)
	}
	used, err := prices.ParseUsage(r.Provider, r.Usage)
	if err != nil {
		b.Fatal(err)
	}
	cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: r.Provider, Model: r.Model, Usage: used, At: at})
	if err != nil {
		b.Fatal(err)
	}
	r.USD, r.SourceKey = cost.USD, cost.Source
	return r
}
