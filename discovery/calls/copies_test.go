package calls_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// dollarLine returns a line that costs one dollar, with an id and more fields.
func dollarLine(id, at, more string) string {
	return fmt.Sprintf(`{"provider":"openai","model":"gpt-4o","time":%q,"usage":{"prompt_tokens":1,"completion_tokens":1},"id":%q,"complete":true,"usd":"1"%s}`, at, id, more) + "\n"
}

// countedOnce returns the records that count, on which Read and Once must agree, and the
// notes about copies.
func countedOnce(t *testing.T, dir string) (records []string, copies []string) {
	t.Helper()
	note := func(c calls.Copies) {
		copies = append(copies, strings.ReplaceAll(c.String(), dir+string(filepath.Separator), ""))
	}
	for r, err := range calls.Read(calls.Options{OnCopies: note}, dir) {
		assert.NoError(t, err)
		records = append(records, r.ID+" "+r.Labels["n"])
	}
	slices.Sort(records)
	var again []string
	for r, err := range calls.Once(calls.Read(calls.Options{Recorded: true}, dir)) {
		require.NoError(t, err)
		again = append(again, r.ID+" "+r.Labels["n"])
	}
	slices.Sort(again)
	assert.Equal(t, records, again)
	return records, copies
}

func TestRecordsOfOneCallCountOnce(t *testing.T) {
	t.Parallel()
	const at = "2026-11-20T12:00:00Z"
	label := func(n int) string { return fmt.Sprintf(`,"labels":{"n":"%d"}`, n) }
	other := strings.NewReplacer(`"completion_tokens":1`, `"completion_tokens":2`)
	cut := strings.NewReplacer(`"complete":true,"usd":"1"`, `"complete":false,"usd":null,"unpriced":"closed","bound_usd":"9"`)
	fetch := func(id, at string, n int) string {
		return dollarLine(id, at, `,"path":"/v1/responses/`+id+`"`+label(n))
	}
	for name, row := range map[string]struct {
		files   map[string]string
		records string
		copies  []string
	}{
		"a copied file": {
			map[string]string{"a.jsonl": dollarLine("x", at, label(1)) + dollarLine("y", at, label(2)), "copy/a.jsonl": dollarLine("x", at, label(1)) + dollarLine("y", at, label(2)) + dollarLine("z", at, label(3))},
			"x 1,y 2,z 3", []string{"copy/a.jsonl: calls that are also in a.jsonl count once; copies: 2 (x, y)"},
		},
		"in one file": {map[string]string{"a.jsonl": dollarLine("x", at, label(1)) + dollarLine("x", at, label(2))}, "x 1", []string{"a.jsonl: repeated calls count once; copies: 1 (x)"}},
		"other counts": {
			map[string]string{
				"a.jsonl": dollarLine("x", at, label(1)) + dollarLine("y", at, label(2)) + other.Replace(dollarLine("x", at, label(1))),
				"b.jsonl": other.Replace(dollarLine("y", at, label(3))) + dollarLine("x", at, label(3)),
			},
			"x 1,y 2", []string{
				"a.jsonl: repeated calls count once; copies: 1 (x; with other counts: 1)",
				"b.jsonl: calls that are also in a.jsonl count once; copies: 2 (y, x; with other counts: 1)",
			},
		},
		"many files": {
			map[string]string{"a.jsonl": dollarLine("a", at, label(1)), "b.jsonl": dollarLine("b", at, label(2)), "c.jsonl": strings.Repeat(dollarLine("a", at, label(3))+dollarLine("b", at, label(4)), 2)},
			"a 1,b 2", []string{"c.jsonl: calls that are also in other files count once; copies: 4 (a, b, a, …)"},
		},
		"a stream that broke off, and was fetched": {
			map[string]string{"a.jsonl": cut.Replace(dollarLine("x", at, label(1))), "b.jsonl": fetch("x", "2026-11-20T12:00:05Z", 2)},
			"x 2", []string{"a.jsonl: calls that are also in b.jsonl count once; copies: 1 (x)"},
		},
		"counted and fetched": {
			map[string]string{"a.jsonl": fetch("x", "2026-11-20T12:00:05Z", 1), "b.jsonl": dollarLine("x", "2026-11-20T12:00:07Z", label(2)), "c.jsonl": fetch("x", "2026-11-20T12:00:01Z", 3)},
			"x 2", []string{"a.jsonl: calls that are also in b.jsonl count once; copies: 1 (x)", "c.jsonl: calls that are also in b.jsonl count once; copies: 1 (x)"},
		},
		"fetched": {
			map[string]string{"a.jsonl": fetch("x", "2026-11-20T12:00:05Z", 1), "b.jsonl": fetch("x", "2026-11-20T12:00:02Z", 2)},
			"x 2", []string{"a.jsonl: calls that are also in b.jsonl count once; copies: 1 (x)"},
		},
		"broken off twice": {map[string]string{"a.jsonl": cut.Replace(dollarLine("x", at, label(1)) + dollarLine("x", at, label(2)))}, "x 1", []string{"a.jsonl: repeated calls count once; copies: 1 (x)"}},
		"without ids":      {map[string]string{"a.jsonl": dollarLine("", at, label(1)) + dollarLine("", at, label(2))}, " 1, 2", nil},
		"a day later":      {map[string]string{"a.jsonl": dollarLine("x", at, label(1)) + dollarLine("x", "2026-11-21T12:00:00Z", label(2))}, "x 1,x 2", nil},
		"compressed":       {map[string]string{"a.jsonl": dollarLine("", at, label(1)), "a.jsonl.gz": dollarLine("", at, label(1)), "b.jsonl.gz": dollarLine("", at, label(2))}, " 1, 2", []string{"a.jsonl.gz is a copy of the file without .gz, so its calls count once"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := writeFiles(t, row.files)
			for range 2 {
				records, copies := countedOnce(t, dir)
				assert.Equal(t, row.records, strings.Join(records, ","))
				assert.Equal(t, row.copies, copies)
			}
			var copies []string
			groups, err := calls.Sum(calls.Options{By: [][]string{{"label:n"}}, OnCopies: func(c calls.Copies) {
				copies = append(copies, strings.ReplaceAll(c.String(), dir+string(filepath.Separator), ""))
			}}, dir)
			require.NoError(t, err)
			var sums []string
			for _, g := range groups[0] {
				sums = append(sums, g.Values[0])
				assert.Equal(t, 1, g.Calls)
			}
			assert.Len(t, sums, strings.Count(row.records, ",")+1)
			for _, n := range sums {
				assert.Contains(t, row.records+",", " "+n+",")
			}
			assert.Equal(t, row.copies, copies)
		})
	}
}

// TestWhichRecordCountsDoesNotDependOnChance reads files with several blocks in parallel.
// Most calls are in them twice, with different labels.
func TestWhichRecordCountsDoesNotDependOnChance(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(1, 2))
	files, first := map[string]string{}, map[string]int{}
	for file := range 4 {
		var text strings.Builder
		for range 5000 {
			id := fmt.Sprint("id", random.IntN(8000))
			if _, known := first[id]; !known {
				first[id] = file
			}
			text.WriteString(dollarLine(id, at.Add(time.Duration(random.IntN(80_000))*time.Second).Format(time.RFC3339), fmt.Sprintf(`,"labels":{"n":"%d"}`, file)))
		}
		files[fmt.Sprintf("%d.jsonl", file)] = text.String()
	}
	want := make([]int, len(files))
	for _, file := range first {
		want[file]++
	}
	dir := writeFiles(t, files)
	for range whole.Cases(3, 1) {
		groups, err := calls.Sum(calls.Options{By: [][]string{{"label:n"}}, OnCopies: func(calls.Copies) {}}, dir)
		require.NoError(t, err)
		for i, g := range groups[0] {
			assert.Equal(t, want[i], g.Calls, g.Values)
		}
	}
}

// If an invalid line is copied, its error is reported once.
func TestErrorsOfCopies(t *testing.T) {
	t.Parallel()
	line := `{"provider":"openai","model":"gpt-4o","time":"2026-11-20T12:00:00Z","usage":{"prompt_tokens":-1},"id":"x"}` + "\n"
	_, err := calls.Sum(calls.Options{}, writeFiles(t, map[string]string{"a.jsonl": line, "b.jsonl": line}))
	assert.Equal(t, 1, strings.Count(err.Error(), "jsonl"), err)
}
