//go:build unix

package calls_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// limitFiles limits this process's file sizes, so writes are cut short as on a full disk.
func limitFiles(size string) {
	if size == "" {
		return
	}
	n, err := strconv.ParseUint(size, 10, 32)
	if err != nil {
		panic(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		panic(err)
	}
}

// TestShortWriteBeginsANewFile makes every file end in mid-line. Line lengths differ, so
// the cuts do, too.
func TestShortWriteBeginsANewFile(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"1000", "1001", "9999"} {
		dir := t.TempDir()
		cmd, out := process(t.Context(), t, dir, limit)
		acknowledged := 0
		for out.Scan() {
			assert.Equal(t, strconv.Itoa(acknowledged), out.Text())
			acknowledged++
		}
		require.NoError(t, cmd.Wait())
		assert.Equal(t, written, acknowledged)
		records, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
		ids := map[string]bool{}
		for _, r := range records {
			ids[r.ID] = true
		}
		assert.Len(t, ids, written, "no record is lost")
		assert.True(t, len(records) == written, "no record is doubled") //nolint:testifylint // the records are too long to be shown
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Less(t, len(errs), len(files), "the last file ends with a line")
		assert.NotEmpty(t, errs)
	}
}

func TestFullDiskIsAnErrorOfTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, out := process(t.Context(), t, dir, "0")
	require.True(t, out.Scan())
	assert.Contains(t, out.Text(), "error: ", "Close fails, and no record was acknowledged")
	require.NoError(t, cmd.Wait())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 1, "an empty file is reused")
}

func TestLogGoesOnAfterItsFilesWereRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "calls")
	log, err := calls.OpenLog(dir)
	require.NoError(t, err)
	log.Record(recordOn(1, "a"))
	require.NoError(t, os.Rename(dir, dir+".old"))
	log.Record(recordOn(1, "not written"))
	require.ErrorIs(t, log.Err(), os.ErrNotExist, "no record goes into the moved file")
	require.NoError(t, os.Mkdir(dir, 0o700))
	log.Record(recordOn(1, "b"))
	log.Record(recordOn(1, "c"))
	assert.Equal(t, []calls.Record{recordOn(1, "b"), recordOn(1, "c")}, lines(t, dir)["2026-11-01"])
	assert.Equal(t, []calls.Record{recordOn(1, "a")}, lines(t, dir+".old")["2026-11-01"])
	assert.ErrorContains(t, log.Close(), "file: 1: ")
}
