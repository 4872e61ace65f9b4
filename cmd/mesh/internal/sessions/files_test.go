package sessions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const sessionFiles = "testdata/home"

// expectedSessions is testdata/home/expected.json.
type expectedSessions struct {
	Files map[string]struct {
		Records []expectedRecord
		Skipped map[string]int
		Note    string
	}
	Programs map[string]expectedSum
	All      expectedSum
}

type expectedSum struct {
	Records, Unpriced int
	USD               prices.USD
}

type expectedRecord struct {
	Provider, Model, ID string
	Time                time.Time
	Usage               map[string]int64
	USD                 *prices.USD
	Labels              map[string]string
}

func readExpected(t *testing.T) (all expectedSessions) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sessionFiles, "expected.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	for _, file := range all.Files {
		for i := range file.Records {
			if r := &file.Records[i]; r.Labels["program"] == "claude-code" {
				r.Time = r.Time.Truncate(24 * time.Hour)
			}
		}
	}
	return all
}

// plainRecord converts r to the form in expected.json.
func plainRecord(t *testing.T, r calls.Record) expectedRecord {
	t.Helper()
	c, err := r.Count(nil, false)
	require.NoError(t, err)
	assert.True(t, r.Session)
	plain := expectedRecord{Provider: string(r.Provider), Model: r.Model, ID: r.ID, Time: r.Time, Labels: r.Labels}
	u := &c.Counts
	plain.Usage = map[string]int64{
		"input": u.Input, "tool_input": u.ToolInput, "cache_read": u.CacheRead, "cache_write_5m": u.CacheWrite5m, "cache_write_1h": u.CacheWrite1h, "output": u.Output,
	}
	if c.USD != "" {
		plain.USD = &c.USD
	}
	if r.Labels["program"] == "claude-code" { // the expected time is the last line's
		plain.Time = plain.Time.Truncate(24 * time.Hour)
	}
	return plain
}

func TestSessionsReadsEachFile(t *testing.T) {
	t.Parallel()
	for name, want := range readExpected(t).Files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paths := []string{filepath.Join(sessionFiles, name)}
			session := ""
			if want.Note != "" && strings.HasPrefix(name, "codex/") { // a fork
				paths, session = append(paths, filepath.Join(sessionFiles, "codex")), want.Records[0].Labels["session"]
			}
			var got []expectedRecord
			errs := 0
			for r, err := range calls.Read(recorded(), paths...) {
				if err == nil && (session == "" || r.Labels["session"] == session) {
					got = append(got, plainRecord(t, r))
				} else if err != nil && session == "" {
					var line *calls.LineError
					require.ErrorAs(t, err, &line)
					errs++
				}
			}
			assert.ElementsMatch(t, want.Records, got)
			assert.Equal(t, want.Skipped["not_json"]+want.Skipped["truncated"], errs)
		})
	}
}

func TestSumOfSessions(t *testing.T) {
	t.Parallel()
	want := readExpected(t)
	groups, err := calls.Sum(plain(nil, []string{"label:program"}, []string{"model"}), sessionFiles)
	assert.Len(t, strings.Split(err.Error(), "\n"), 5, err)
	assert.Equal(t, want.All, expectedSum{groups[0][0].Calls, groups[0][0].Unpriced, groups[0][0].USD})
	for _, g := range groups[1] {
		assert.Equal(t, want.Programs[g.Values[0]], expectedSum{g.Calls, g.Unpriced, g.USD}, g.Values[0]) //nolint:testifylint // want is expected
	}
}
