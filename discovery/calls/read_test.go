package calls_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// callLine comes from another program: it has no cost.
const callLine = `{"model":"gpt-5.2","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":8000,"output_tokens":100,"total_tokens":8100}}` + "\n"

func writeFiles(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return dir
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.String()
}

func collect(records iter.Seq2[calls.Record, error]) (all []calls.Record, errs []error) {
	for r, err := range records {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, r)
	}
	return all, errs
}

func idLine(id string) string { return strings.Replace(callLine, "{", `{"id":"`+id+`",`, 1) }

func TestReadReadsFilesAndFolders(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{
		"b.jsonl": idLine("b1") + "\n \r\n" + strings.TrimSuffix(idLine("b2"), "\n"), "a.jsonl.gz": gzipped(t, idLine("a")) + gzipped(t, idLine("a2")),
		"host/c.jsonl": strings.ReplaceAll(idLine("c"), "\n", "\r\n"), "notes.txt": "x", "prices.csv": "x", "empty.jsonl": "", "elsewhere": gzipped(t, idLine("d")),
	})
	if err := os.Symlink(dir, filepath.Join(dir, "circle.jsonl")); err != nil {
		t.Log(err) // not on Windows
	}
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir, filepath.Join(dir, "elsewhere"), filepath.Join(dir, ".", "b.jsonl"), dir+"/host"))
	assert.Empty(t, errs)
	ids := ""
	for _, r := range records {
		ids += r.ID + " "
		assert.Equal(t, models.OpenAI, r.Provider, "taken from the model")
	}
	assert.Equal(t, "a a2 b1 b2 c d ", ids, "in order, each once")
}

// TestFilesAreReadOnce names the same file by all its paths.
func TestFilesAreReadOnce(t *testing.T) {
	dir := writeFiles(t, map[string]string{"calls/a.jsonl": idLine("a"), "calls/in/b.jsonl": idLine("b")})
	t.Chdir(dir)
	for link, target := range map[string]string{"calls/alias.jsonl": "a.jsonl", "link": "calls"} {
		if err := os.Symlink(target, link); err != nil {
			t.Log(err) // not on Windows
		}
	}
	paths := []string{"calls", filepath.Join(dir, "calls"), "./calls/in/../a.jsonl", filepath.Join(dir, "calls", "in", "b.jsonl")}
	if _, err := os.Stat("link"); err == nil {
		paths = append(paths, "link", "link/alias.jsonl")
	}
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, paths...))
	assert.Empty(t, errs)
	assert.Len(t, records, 2)
	rows, err := sum(calls.Options{}, paths...)
	require.NoError(t, err)
	assert.Equal(t, 2, rows[0].Calls)
	_, errs = collect(calls.Read(calls.Options{Recorded: true}, ""))
	assert.Len(t, errs, 1, "an empty path is not the current directory")
}

func TestReadReadsWhatLogWrote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := calls.OpenLog(dir)
	require.NoError(t, err)
	want := calls.Record{
		ID: "é\"\n", Provider: models.Gemini, Model: "m", Time: time.Date(2026, 11, 22, 10, 30, 0, 123456789, time.UTC), Usage: []byte(`{"promptTokenCount":1}`),
		Mode: "batch", ToolUses: map[string]int64{"grounding": 2}, Labels: map[string]string{"<b>": "\u2028"}, Path: "/v1", Status: 200, Stream: true,
		Duration: time.Millisecond, USD: "0.5", SourceKey: "s",
	}
	log.Record(want)
	require.NoError(t, log.Close())
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
	assert.Empty(t, errs)
	assert.Equal(t, []calls.Record{want}, records)
}

func TestReadReportsLinesAndReadsOn(t *testing.T) {
	t.Parallel()
	long := `{"model":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, test := range map[string]struct{ text, want string }{
		"a line that is too long":  {long, "a line must not have more than 1048576 bytes"},
		"a line of several blocks": {strings.Repeat(long, 5), "a line must not have more than 1048576 bytes"},
		"no object":                {"12", "a line must be a JSON object"},
		"an unfinished line":       {callLine[:20], "a line must be a JSON object"},
		"two objects":              {"{} {}", "a line must be a JSON object"},
		"depth":                    {strings.Repeat(`{"usage":`, 20_000), "a line must be a JSON object"},
		"zeros":                    {strings.Repeat("\x00", 600), "a line must be a JSON object"},
		"a day without a time":     {strings.Replace(callLine, "T12:00:00Z", "", 1), "time must be an RFC 3339 time"},
		"no time":                  {`{"model":"gpt-5.2"}`, "time is missing"},
		"no provider":              {strings.Replace(callLine, "gpt", "tpg", 1), "cannot be determined"},
		"another provider":         {strings.Replace(callLine, "{", `{"provider":"Acme!",`, 1), "is not one of openai"},
		"a cost":                   {strings.Replace(callLine, "{", `{"usd":"-1",`, 1), "usd must be a decimal"},
		"two numbers as one":       {strings.Replace(callLine, "{", `{"duration_ms":5-1,`, 1), "a line must be a JSON object"},
		"labels":                   {strings.Replace(callLine, "{", `{"labels":{"a":1},`, 1), "a line must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := idLine("1") + strings.TrimSuffix(test.text, "\n")
			dir := writeFiles(t, map[string]string{"1.jsonl": text + "\n\n" + idLine("2") + idLine("3"), "2.jsonl": text})
			records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
			require.Len(t, errs, 2)
			for _, err := range errs {
				var at *calls.LineError
				require.ErrorAs(t, err, &at)
				assert.Equal(t, 2, at.Line)
				assert.Contains(t, err.Error(), ".jsonl:2: ")
				assert.Contains(t, err.Error(), test.want)
				assert.Less(t, len(err.Error()), 300)
			}
			assert.Len(t, records, 4)
		})
	}
}

func TestReadNamesTheLineInEachBlock(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for range 5_000 { // several blocks
		text.WriteString(callLine)
	}
	text.WriteString("x\n" + callLine + "y")
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, filepath.Join(writeFiles(t, map[string]string{"a.jsonl": text.String()}), "a.jsonl")))
	assert.Len(t, records, 5_001)
	require.Len(t, errs, 2)
	assert.Contains(t, errs[0].Error(), "a.jsonl:5001: ")
	assert.Contains(t, errs[1].Error(), "a.jsonl:5003: ")
}

func TestReadGoesOnWithTheNextFile(t *testing.T) {
	t.Parallel()
	torn := gzipped(t, callLine+callLine)
	dir := writeFiles(t, map[string]string{"a.jsonl.gz": torn[:len(torn)-9], "b.jsonl.gz": "\x1f\x8bx", "c.jsonl": callLine})
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, filepath.Join(dir, "none"), dir))
	assert.NotEmpty(t, records)
	require.Len(t, errs, 3)
	assert.ErrorIs(t, errs[0], os.ErrNotExist)
	assert.Contains(t, errs[1].Error(), "a.jsonl.gz:")
	assert.Contains(t, errs[2].Error(), "b.jsonl.gz:1: ")
	n := 0
	for range calls.Read(calls.Options{Recorded: true}, dir) {
		n++
		break
	}
	assert.Equal(t, 1, n, "a loop may end early")
}

func TestRestoreReadsACallsFile(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"a.jsonl": `{"provider":"xai","model":"m","time":"2026-11-22T10:00:00Z","usage":null,"usd":"1.5"}` + "\nx\n" + `{"provider":"xai","model":"m","time":"2026-11-22T10:00:00Z","usd":null}`})
	m, err := meter.New()
	require.NoError(t, err)
	require.Error(t, m.Restore(calls.Read(calls.Options{Recorded: true}, dir)))
	assert.Equal(t, meter.Spent{USD: "1.5", AtLeastUSD: "1.5", Calls: 2, Unpriced: 1}, m.Spent())
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(callLine + "x\n" + idLine("2")))
	f.Add([]byte(`{"provider":"xai","model":"m","time":"2026-11-22T10:00:00Z","usage":null,"complete":false,"usd":null,"unpriced":"w","labels":{"a":"b"},"requests":{"c":1}}`))
	f.Add([]byte(gzipped(f, callLine)))
	file := filepath.Join(f.TempDir(), "calls")
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(file, text, 0o600))
		records, errs := collect(calls.Read(calls.Options{Recorded: true}, file))
		lines := bytes.Count(text, []byte("\n")) + 1
		if !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) && len(records)+len(errs) > lines {
			t.Fatalf("%d records and %d errors in %d lines", len(records), len(errs), lines)
		}
		for _, err := range errs {
			var at *calls.LineError
			if !errors.As(err, &at) || at.File != file || at.Line < 1 {
				t.Fatal(err)
			}
		}
		for _, r := range records {
			line, err := r.MarshalJSON()
			require.NoError(t, err, "%+v", r)
			var back calls.Record
			require.NoError(t, back.UnmarshalJSON(line))
			again, err := back.MarshalJSON()
			require.NoError(t, err)
			require.Equal(t, string(line), string(again), "what was read can be written, and read again")
		}
	})
}

// TestLinesAfterALongLineAreRead puts them at the end of a compressed file, whose last
// read returns both bytes and io.EOF.
func TestLinesAfterALongLineAreRead(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1<<20 + 1, 3 << 20} {
		text := strings.Repeat("x", size) + "\n" + idLine("a") + strings.TrimSuffix(idLine("b"), "\n")
		dir := writeFiles(t, map[string]string{"a.jsonl.gz": gzipped(t, text)})
		records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
		assert.Len(t, errs, 1, "the long line")
		assert.Len(t, records, 2)
		rows, err := sum(calls.Options{}, dir)
		require.ErrorContains(t, err, "a.jsonl.gz:1: a line must not have more than")
		require.Len(t, rows, 1)
		assert.Equal(t, 2, rows[0].Calls)
	}
}
