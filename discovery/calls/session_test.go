package calls_test

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
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const sessionFiles = "testdata/sessions"

// expectedSessions is testdata/sessions/expected.json.
type expectedSessions struct {
	Files map[string]struct {
		Records []expectedRecord
		Skipped map[string]int
		Note    string
	}
	Programs         map[string]expectedSum
	WithoutDatabases expectedSum `json:"all_without_databases"`
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
	return all
}

// plainRecord returns a record as the expected ones are written.
func plainRecord(t *testing.T, r calls.Record) expectedRecord {
	t.Helper()
	c, err := r.Count(nil, false)
	require.NoError(t, err)
	assert.True(t, r.Session)
	plain := expectedRecord{Provider: string(r.Provider), Model: r.Model, ID: r.ID, Time: r.Time, Usage: map[string]int64{}, Labels: r.Labels}
	counts := (*usage.Usage)(&c.Counts).Counts()
	for i, kind := range []string{"input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output"} {
		plain.Usage[kind] = *counts[i]
	}
	if c.USD != "" {
		plain.USD = &c.USD
	}
	return plain
}

func TestSessionsReadsEachFile(t *testing.T) {
	t.Parallel()
	for name, want := range readExpected(t).Files {
		if strings.HasSuffix(name, ".db") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paths := []string{filepath.Join(sessionFiles, name)}
			session := ""
			if want.Note != "" { // a fork
				paths, session = append(paths, filepath.Join(sessionFiles, "codex")), want.Records[0].Labels["session"]
			}
			var got []expectedRecord
			errs := 0
			for r, err := range calls.Read(calls.Options{Recorded: true}, paths...) {
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
	groups, err := calls.Sum(calls.Options{By: [][]string{nil, {"label:program"}, {"model"}}}, sessionFiles)
	require.ErrorIs(t, err, calls.ErrUnsupported)
	assert.Len(t, strings.Split(err.Error(), "\n"), 7, err)
	assert.Equal(t, want.WithoutDatabases, expectedSum{groups[0][0].Calls, groups[0][0].Unpriced, groups[0][0].USD})
	for _, g := range groups[1] {
		if program := g.By[0]; program != "opencode" { // some are in the database
			expected := want.Programs[program]
			assert.Equal(t, expected, expectedSum{g.Calls, g.Unpriced, g.USD}, program)
		}
	}
}
