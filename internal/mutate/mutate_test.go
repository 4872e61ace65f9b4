package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write makes a module of files, by path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.test/sample\n\ngo 1.25.0\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

const readSource = `package read

import "strconv"

func Number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1, err
	}
	return n, nil
}

func Known(text string) bool {
	_, err := Number(text)
	return nil == err
}

func Positive(text string) bool {
	n, err := Number(text)
	return err == nil && n >= 0
}
`

const readTest = `package read

import "testing"

func TestNumber(t *testing.T) {
	if n, err := Number("7"); n != 7 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := Number("x"); err == nil {
		t.Fatal("no error")
	}
	if !Positive("7") || Positive("x") {
		t.Fatal("Positive")
	}
}
`

const userTest = `package user

import (
	"testing"

	"example.test/sample/read"
)

func TestKnown(t *testing.T) {
	if !read.Known("7") {
		t.Fatal("7 is not known")
	}
}
`

func TestMutantsAreCaughtOrSurvive(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"read/read.go": readSource, "read/read_test.go": readTest, "user/user_test.go": userTest})
	var out, progress strings.Builder
	require.NoError(t, run(t.Context(), dir, "", []string{"./read"}, &out, &progress))
	assert.Contains(t, out.String(), "| read | 3 | 3 | 100 % | 1 | 33 % | 0 |\n")
	assert.Contains(t, out.String(), "| all | 3 | 3 | 100 % | 1 | 33 % | 0 |\n")
	assert.Contains(t, out.String(), "survived, ignored: read/read.go:15:9: return nil == err\n")
	assert.Contains(t, out.String(), "survived, ignored: read/read.go:20:9: return err == nil && n >= 0\n", "an error gives -1")
	assert.Equal(t, 2, strings.Count(out.String(), "survived"))
	for _, line := range []string{
		"read/read.go:7:5 inverted: caught by example.test/sample/read --- FAIL: TestNumber",
		"read/read.go:15:9 inverted: caught by example.test/sample/user --- FAIL: TestKnown",
		"read/read.go:15:9 ignored: SURVIVED\n",
	} {
		assert.Contains(t, progress.String(), line)
	}
	assert.Equal(t, 6, strings.Count(progress.String(), "\n"))
}

func TestTooFewCaughtIsAnError(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"read/read.go": readSource, "read/read_test.go": readTest})
	var out strings.Builder
	err := run(t.Context(), dir, "", []string{"./..."}, &out, io.Discard)
	require.ErrorContains(t, err, "66.7 % of the inverted sites are caught, of 90 %")
	assert.Contains(t, out.String(), "survived, inverted: read/read.go:15:9")

	err = run(t.Context(), dir, "read.go:7:", []string{"./..."}, &out, io.Discard)
	require.NoError(t, err, "that site alone")
	assert.Contains(t, out.String(), "| all | 1 | 1 | 100 % | 1 | 100 % | 0 |\n")
}

func TestWhatCannotBeJudged(t *testing.T) {
	t.Parallel()
	failing := write(t, map[string]string{"read/read.go": readSource, "read/read_test.go": strings.Replace(readTest, "n != 7", "n != 8", 1)})
	broken := write(t, map[string]string{"read/read.go": strings.Replace(readSource, "n, nil", "text, nil", 1)})
	fine := write(t, map[string]string{"read/read.go": readSource})
	for want, c := range map[string]struct {
		dir, only string
		patterns  []string
	}{
		"with no mutant at all: caught by example.test/sample/read --- FAIL: TestNumber": {failing, "", []string{"./read"}},
		"go list":                            {broken, "", []string{"./read"}},
		"errors is no package of the module": {fine, "", []string{"./read", "errors"}},
		"no package is named":                {fine, "", nil},
		"no site":                            {fine, "elsewhere.go", []string{"./read"}},
		"0.0 % of":                           {fine, "", []string{"./read"}},
	} {
		err := run(t.Context(), c.dir, c.only, c.patterns, io.Discard, io.Discard)
		require.ErrorContains(t, err, want)
	}
}

// A test that fails every third time: not without a mutant, not with the first one, but with the second one, once.
const moodyTest = `package user

import (
	"os"
	"testing"

	_ "example.test/sample/read"
)

func TestMoody(t *testing.T) {
	log, err := os.OpenFile("runs", os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.WriteString("x")
	if info, err := log.Stat(); err != nil || info.Size()%3 == 0 {
		t.Fatal("this is the third time", err)
	}
}
`

func TestFailingByChanceCatchesNothing(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"read/read.go": readSource, "user/user_test.go": moodyTest})
	var out strings.Builder
	err := run(t.Context(), dir, "read.go:7:", []string{"./read"}, &out, io.Discard)
	require.ErrorContains(t, err, "0.0 % of the inverted sites")
	assert.Contains(t, out.String(), "| all | 1 | 0 | 0 % | 0 | 0 % | 0 |\n")
}
