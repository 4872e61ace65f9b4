package sessions_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// newDatabase runs statements in a new database and returns its path.
func newDatabase(tb testing.TB, statements ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", path)
	require.NoError(tb, err)
	for _, text := range statements {
		_, err := db.ExecContext(tb.Context(), text)
		require.NoError(tb, err)
	}
	require.NoError(tb, db.Close())
	return path
}

func readFile(tb testing.TB, path string) ([]calls.Record, []error) {
	tb.Helper()
	return collect(calls.Read(recorded(), path))
}

const (
	messageTable = `CREATE TABLE message (id text, session_id text, data text)`
	messageRow   = `INSERT INTO message VALUES ('m', 's', '{"role":"assistant","modelID":"claude-haiku-4-5","providerID":"anthropic","time":{"created":1767600000000},"tokens":{"input":10,"output":5}}')`
)

func TestDatabasesOfOthers(t *testing.T) {
	t.Parallel()
	records, errs := readFile(t, newDatabase(t, messageTable, messageRow))
	assert.Len(t, records, 1)
	assert.Empty(t, errs)
	const long = `INSERT INTO message VALUES ('n', 's', '{"x":"' || hex(zeroblob(5000000)) || '"}')`
	for name, statements := range map[string][]string{
		"endless view":  {`CREATE VIEW message AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS rowid, i AS id, i AS session_id, '{}' AS data FROM n`},
		"virtual table": {`CREATE VIRTUAL TABLE message USING fts5(id, session_id, data)`},
		"huge value":    {`CREATE TABLE message (id text, session_id text, data text AS (hex(zeroblob(20000000))))`, `INSERT INTO message VALUES ('m', 's')`},
		"other table":   {`CREATE TABLE message (id text)`},
		"no table":      {`CREATE TABLE messages (id text)`},
	} {
		records, errs := readFile(t, newDatabase(t, statements...))
		assert.Empty(t, records, name)
		require.Len(t, errs, 1, name)
		assert.ErrorContains(t, errs[0], "the database cannot be read", name)
	}
	records, errs = readFile(t, newDatabase(t, messageTable, messageRow, long))
	assert.Len(t, records, 1)
	assert.Empty(t, errs)
}

// Someone else may have made the database's log a link.
func TestLogsOfDatabasesOfOthers(t *testing.T) {
	t.Parallel()
	path := newDatabase(t, messageTable, messageRow)
	if err := os.Symlink(path, path+"-wal"); err != nil {
		t.Log(err) // not on Windows
		return
	}
	records, errs := readFile(t, path)
	assert.Empty(t, records)
	assert.Len(t, errs, 1)
}

func FuzzOpencodeDatabase(f *testing.F) {
	content, err := os.ReadFile(newDatabase(f, messageTable, messageRow))
	require.NoError(f, err)
	f.Add(content)
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "opencode.db")
		require.NoError(t, os.WriteFile(path, append([]byte("SQLite format 3\x00"), content[min(16, len(content)):]...), 0o600))
		checkFile(t, path)
	})
}
