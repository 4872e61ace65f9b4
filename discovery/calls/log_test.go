package calls_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/zerovalue"
)

func recordOn(day int, id string) calls.Record {
	return calls.Record{
		ID: id, Provider: models.OpenAI, Model: "gpt-4o", Time: time.Date(2026, 11, day, 23, 0, 0, 0, time.UTC), USD: "0.01",
	}
}

// lines returns a directory's records by the date in their file's name.
func lines(t *testing.T, dir string) map[string][]calls.Record {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	records := map[string][]calls.Record{}
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		day := filepath.Base(file)[:len(time.DateOnly)]
		for line := range bytes.Lines(text) {
			var r calls.Record
			require.NoError(t, json.Unmarshal(line, &r))
			records[day] = append(records[day], r)
		}
	}
	return records
}

func TestMethodsOfAZeroLog(t *testing.T) {
	t.Parallel()
	for _, log := range []*calls.Log{nil, {}} {
		zerovalue.Check(t, log)
	}
}

func TestLogHasAFileForEachDay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "calls")
	log, err := calls.OpenLog(dir)
	require.NoError(t, err)
	for _, r := range []calls.Record{recordOn(1, "a"), recordOn(2, "b"), recordOn(1, "c"), recordOn(3, "d"), recordOn(4, "e"), recordOn(1, "f")} {
		log.Record(r)
		got := lines(t, dir)
		assert.Contains(t, got[r.Time.Format(time.DateOnly)], r, "written at once")
	}
	require.NoError(t, log.Close())
	log.Record(recordOn(1, "g"))
	require.NoError(t, log.Close())
	got := lines(t, dir)
	assert.Len(t, got, 4)
	assert.Len(t, got["2026-11-01"], 4)
}

func TestLogsShareAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			log, err := calls.OpenLog(dir)
			if !assert.NoError(t, err) {
				return
			}
			for range 100 {
				log.Record(recordOn(1, "x"))
			}
			assert.NoError(t, log.Close())
		})
	}
	group.Wait()
	assert.Len(t, lines(t, dir)["2026-11-01"], 800)
}

func TestLogReportsWhatWasNotWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	log, err := calls.OpenLog(dir)
	require.NoError(t, err)
	require.NoError(t, os.Remove(dir))
	var logged bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	log.Record(recordOn(1, "lost"))
	log.Record(recordOn(1, "lost too"))
	assert.ErrorIs(t, log.Err(), os.ErrNotExist)
	assert.ErrorContains(t, log.Err(), "file: 2: ")
	assert.Equal(t, 1, bytes.Count(logged.Bytes(), []byte("\n")), "%s", logged.String())
	require.NoError(t, os.Mkdir(dir, 0o700))
	log.Record(recordOn(1, "kept"))
	assert.ErrorIs(t, log.Close(), os.ErrNotExist)
	require.Len(t, lines(t, dir)["2026-11-01"], 1)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = calls.OpenLog(file)
	assert.Error(t, err)
}
