package calls_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// followed is a directory whose records a Log has read to the end.
type followed struct {
	t      *testing.T
	dir    string
	log    *calls.Log
	others func(func(calls.Record, error) bool)
}

// today is the date in followed files' names.
var today = time.Now().UTC().Format(time.DateOnly)

func follow(t *testing.T) *followed {
	t.Helper()
	dir := t.TempDir()
	log, err := calls.OpenLog(dir)
	require.NoError(t, err)
	t.Cleanup(func() { log.Close() })
	return &followed{t, dir, log, log.Others(time.Now())}
}

func (f *followed) path(name string) string { return filepath.Join(f.dir, today+"-"+name) }

// add appends to one of today's files.
func (f *followed) add(name, text string) {
	f.t.Helper()
	file, err := os.OpenFile(f.path(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(f.t, err)
	_, err = file.WriteString(text)
	require.NoError(f.t, errors.Join(err, file.Close()))
}

// expect checks the new records' ids and the number of errors.
func (f *followed) expect(errs int, want ...string) {
	f.t.Helper()
	records, failed := collect(f.others)
	assert.Len(f.t, failed, errs, failed)
	got := []string{}
	for _, r := range records {
		got = append(got, r.ID)
	}
	assert.Equal(f.t, append([]string{}, want...), got)
}

func call(id string) string { return fmt.Sprintf(oneCall, today+"T00:00:00Z", id) }

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(t, errors.Join(err, w.Close()))
	return out.Bytes()
}

func TestOthersYieldsWhatOthersAppend(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add("A.jsonl", call("a1"))
	f.add("B.jsonl", call("b1")+"\n"+call("b2"))
	f.log.Record(calls.Record{ID: "own", Model: "gpt-4o", Time: time.Now()})
	f.expect(0, "a1", "b1", "b2")
	f.expect(0)
	f.log.Record(calls.Record{ID: "own", Model: "gpt-4o", Time: time.Now()})
	f.log.Record(calls.Record{ID: "own", Model: "gpt-4o", Time: time.Now().AddDate(0, 0, 1)})
	f.add("B.jsonl", call("b3"))
	f.add("C.jsonl", call("c1"))
	f.expect(0, "b3", "c1")
}

// A record is one write, but a full disk or a network can cut it.
func TestOthersYieldsALineWhenItIsComplete(t *testing.T) {
	t.Parallel()
	f := follow(t)
	line := call("a1")
	for i := range len(line) - 1 {
		f.add("A.jsonl", line[i:i+1])
		if i == len(line)-2 {
			f.expect(0, "a1") // only the line break is missing, as after a killed process
			continue
		}
		f.expect(0)
	}
	f.add("A.jsonl", "\n"+call("a2"))
	f.expect(0, "a2")
}

func TestOthersYieldsAnErrorOfAFileOnce(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add("A.jsonl", call("a1")+"{no}\n"+call("a2"))
	f.add("B.jsonl", strings.Repeat("x", 3<<20)+"\n"+call("b1"))
	_, errs := collect(f.others)
	require.Len(t, errs, 2)
	var wrong *calls.LineError
	require.ErrorAs(t, errs[0], &wrong)
	assert.Equal(t, 2, wrong.Line)
	f.add("A.jsonl", "{no}\n"+call("a3"))
	f.add("B.jsonl", call("b2"))
	f.expect(0, "a3", "b2")
}

// A calls file that is renamed or truncated while being followed must not count twice.
func TestOthersReadsNoFileTwice(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add("A.jsonl", call("a1"))
	f.add("B.jsonl", call("b1"))
	f.add("D.jsonl", call("d1"))
	f.log.Record(calls.Record{ID: "own", Model: "gpt-4o", Time: time.Now()})
	f.expect(0, "a1", "b1", "d1")
	f.add("A.jsonl", call("a2")) // before rotation
	own, err := filepath.Glob(filepath.Join(f.dir, "*-*-*-"+strings.Repeat("?", 26)+".jsonl"))
	require.NoError(t, err)
	require.Len(t, own, 1)
	for from, to := range map[string]string{f.path("A.jsonl"): f.path("Z.jsonl"), own[0]: f.path("own.jsonl")} {
		require.NoError(t, os.Rename(from, to))
	}
	require.NoError(t, os.WriteFile(f.path("B.jsonl.gz"), packed(t, call("b1")+call("b2")), 0o600))
	f.expect(0, "a2")
	require.NoError(t, os.Remove(f.path("B.jsonl")))
	require.NoError(t, os.Truncate(f.path("D.jsonl"), 0)) // like logrotate's copytruncate
	f.expect(0, "b2")
	f.add("D.jsonl", call("d2"))
	f.expect(0, "d2")
	require.NoError(t, os.Remove(f.path("D.jsonl")))
	f.add("Z.jsonl", call("a3"))
	f.expect(0, "a3")
}

func TestOthersContinuesAfterABreak(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add("A.jsonl", call("a1")+call("a2")+call("a3"))
	f.add("B.jsonl", call("b1"))
	for r := range f.others {
		assert.Equal(t, "a1", r.ID)
		break
	}
	f.expect(0, "a2", "a3", "b1")
}

// If the directory disappears for a while, reading must not start over.
func TestOthersOfAFolderThatIsAway(t *testing.T) {
	t.Parallel()
	f := follow(t)
	f.add("A.jsonl", call("a1"))
	f.expect(0, "a1")
	require.NoError(t, os.Rename(f.dir, f.dir+".away"))
	_, errs := collect(f.others)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], fs.ErrNotExist)
	f.expect(0)
	require.NoError(t, os.Rename(f.dir+".away", f.dir))
	f.add("A.jsonl", call("a2"))
	f.expect(0, "a2")
}

func TestOthersLooksAtFilesOfTwoDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		log, err := calls.OpenLog(dir)
		require.NoError(t, err)
		time.Sleep(time.Until(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)))
		write := func(day, text string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, day+"-A.jsonl"), []byte(text), 0o600))
		}
		for _, day := range []string{"2026-10-30", "2026-10-31", "2026-11-15", "2026-11-29"} {
			write(day, call(day))
		}
		f := &followed{t, dir, log, log.Others(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))}
		f.expect(0, "2026-10-31", "2026-11-15", "2026-11-29")
		write("2026-11-15", call("2026-11-15")+call("not looked at"))
		time.Sleep(18 * time.Hour)
		write("2026-11-29", call("2026-11-29")+call("a call of many hours"))
		write("2026-12-01", call("2026-12-01"))
		f.expect(0, "a call of many hours", "2026-12-01")
	})
}
