package meter_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// BenchmarkRestore alternates between restoring 100,000 records and just reading the
// file, so both see the same machine load. ratio compares the fastest runs.
func BenchmarkRestore(b *testing.B) {
	const records = 100_000
	file := writeRecords(b, records)
	read, restored := time.Duration(1<<62), time.Duration(1<<62)
	for b.Loop() {
		read = min(read, timed(func() {
			for _, err := range calls.Read(calls.Options{Recorded: true}, file) {
				require.NoError(b, err)
			}
		}))
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "5", PerCall: "0.05"}),
			meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodMonth, Label: "team"}))
		require.NoError(b, err)
		restored = min(restored, timed(func() { require.NoError(b, m.Restore(calls.Read(calls.Options{Recorded: true}, file))) }))
		require.Equal(b, records, m.Spent().Calls)
	}
	b.ReportMetric(read.Seconds(), "read-s")
	b.ReportMetric(restored.Seconds(), "restore-s")
	b.ReportMetric(restored.Seconds()/read.Seconds(), "ratio")
}

func timed(run func()) time.Duration {
	began := time.Now()
	run()
	return time.Since(began)
}

// writeRecords writes n lines like a Log, spread over the last 30 days. Every fiftieth
// stream was closed early.
func writeRecords(tb testing.TB, n int) (name string) {
	tb.Helper()
	name = filepath.Join(tb.TempDir(), "calls.jsonl")
	file, err := os.Create(name)
	require.NoError(tb, err)
	out, random := bufio.NewWriter(file), rand.New(rand.NewPCG(1, 2))
	first := time.Now().UTC().AddDate(0, 0, -30)
	for i := range n {
		input, output := random.IntN(100_000), random.IntN(5000)
		end := fmt.Sprintf(`"complete":true,"duration_ms":123,"usd":"0.%09d","source":"https://example.com/pricing"}`, random.IntN(1_000_000_000))
		if i%50 == 0 {
			end = `"complete":false,"duration_ms":123,"usd":null,"unpriced":"the response was closed before its final counts"}`
		}
		_, err := fmt.Fprintf(out, `{"provider":"anthropic","model":"claude-sonnet-5-5","time":%q,"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,`+
			`"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard"},"id":"msg_%d","labels":{"team":"team-%d"},"path":"/v1/messages","status":200,"stream":true,%s`+"\n",
			first.Add(time.Duration(i)*time.Millisecond*2592).Format(time.RFC3339Nano), input, input/3, output, i, random.IntN(20), end)
		require.NoError(tb, err)
	}
	require.NoError(tb, out.Flush())
	require.NoError(tb, file.Close())
	return name
}
