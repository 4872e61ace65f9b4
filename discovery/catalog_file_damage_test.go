package discovery_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// changed replaces one string in the file's content, and fixes the digest.
func changed(tb testing.TB, file []byte, from, to string) string {
	tb.Helper()
	_, content, _ := bytes.Cut(file, []byte("\n"))
	require.Contains(tb, string(content), from)
	return withDigest(strings.Replace(string(content), from, to, 1))
}

// unchanged checks that LoadCatalog rejects the file without quoting it, and that the
// client still has no catalog.
func unchanged(t *testing.T, s *fakeServer, name, file string, reason string) {
	t.Helper()
	c := s.inProcess()
	err := c.LoadCatalog(strings.NewReader(file))
	requireValueError(t, err, "reader")
	require.ErrorContains(t, err, reason, name)
	require.NotContains(t, err.Error(), "gpt")
	requireValueError(t, c.SaveCatalog(io.Discard), "Client")
}

func TestLoadCatalogRejectsAnyDamage(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	file := savedCatalog(t, s)
	for i := range file {
		unchanged(t, s, fmt.Sprint("cut off at ", i), string(file[:i]), "is ")
		for _, bit := range []byte{1, 0x20, 0x80} {
			damaged := bytes.Clone(file)
			damaged[i] ^= bit
			unchanged(t, s, fmt.Sprint("byte ", i), string(damaged), "")
		}
	}
	unchanged(t, s, "longer", string(file)+"\n", "is damaged")
	unchanged(t, s, "twice", string(file)+string(file), "is damaged")
	require.NoError(t, s.inProcess().LoadCatalog(bytes.NewReader(file)), "the file itself is valid")
}

func TestLoadCatalogRejectsOtherFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testOtherFiles) // on 1 January 2000
}

func testOtherFiles(t *testing.T) {
	s := catalogServer(twoModels)
	file := savedCatalog(t, s)
	other := newClient(discovery.WithCatalogURL("http://test.invalid/other/catalog"))
	requireValueError(t, other.LoadCatalog(bytes.NewReader(file)), "reader")

	for name, test := range map[string]struct{ file, reason string }{
		"empty":               {"", "is not from SaveCatalog"},
		"JSON":                {twoModels, "is not from SaveCatalog"},
		"executable":          {"\x7fELF\x02\x01\x01\x00", "is not from SaveCatalog"},
		"newer version":       {strings.Replace(string(file), "catalog 1", "catalog 2", 1), "has a format version other than 1"},
		"much newer version":  {"mesh-go-catalog 10 gpt\n", "has a format version other than 1"},
		"other JSON":          {withDigest(`{"name":"gpt","version":"1"}`), "does not contain a valid catalog"},
		"array":               {withDigest(`["gpt"]`), "does not contain a valid catalog"},
		"null":                {withDigest(`null`), "does not contain a valid catalog"},
		"not JSON":            {withDigest(`gpt`), "does not contain a valid catalog"},
		"other catalog":       {changed(t, file, `"url_sha256":"`, `"url_sha256":"0`), "belongs to another catalog URL"},
		"future":              {changed(t, file, `"read_at":"2000-`, `"read_at":"2001-`), "has a time in the future"},
		"no time":             {changed(t, file, `"read_at"`, `"at"`), "does not contain a valid catalog"},
		"no models":           {changed(t, file, `"models"`, `"rows"`), "does not contain a valid catalog"},
		"no id":               {changed(t, file, `"id":"openai/gpt-4o"`, `"id":""`), "does not contain a valid catalog"},
		"null model":          {changed(t, file, `"models":[`, `"models":[null,`), "does not contain a valid catalog"},
		"provider's own list": {changed(t, file, `"source":"catalog"`, `"source":"openai"`), "does not contain a valid catalog"},
		"negative tokens":     {changed(t, file, `"max_tokens":16384`, `"max_tokens":-1`), "does not contain a valid catalog"},
		"empty name":          {changed(t, file, `"name":"GPT-4o"`, `"name":""`), "does not contain a valid catalog"},
		"line in the ETag":    {changed(t, file, `"etag":"`, `"etag":"a\r\nX-Evil: gpt`), "does not contain a valid catalog"},
		"negative count":      {changed(t, file, `"unreadable_rows":0`, `"unreadable_rows":-1`), "does not contain a valid catalog"},
	} {
		unchanged(t, s, name, test.file, test.reason)
	}
}

// zeros is an endless reader that counts what was read.
type zeros struct{ n int64 }

func (r *zeros) Read(p []byte) (int, error) {
	r.n += int64(len(p))
	return len(p), nil
}

func TestLoadCatalogReadsNoMoreThanAResponse(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	file := savedCatalog(t, s)
	limit := int64(len(file))
	require.NoError(t, s.inProcess(discovery.WithMaxResponseBytes(limit)).LoadCatalog(bytes.NewReader(file)))
	err := s.inProcess(discovery.WithMaxResponseBytes(limit - 1)).LoadCatalog(bytes.NewReader(file))
	requireValueError(t, err, "reader")
	require.ErrorContains(t, err, "is longer than")
	require.NoError(t, s.inProcess(discovery.WithMaxResponseBytes(1<<63-1)).LoadCatalog(bytes.NewReader(file)))

	var huge zeros
	requireValueError(t, s.inProcess(discovery.WithMaxResponseBytes(1<<20)).LoadCatalog(&huge), "reader")
	assert.LessOrEqual(t, huge.n, int64(1<<20+1))

	c := s.inProcess(discovery.WithMaxResponseBytes(int64(len(twoModels))))
	list(t, c, discovery.CatalogOptions{})
	requireValueError(t, c.SaveCatalog(io.Discard), "Client") // LoadCatalog would reject the file
}

// FuzzLoadCatalog loads any bytes as a catalog file, unchanged and with their correct
// digest. A rejected file changes nothing; an accepted one is saved again, and the saved
// file gives the same models.
func FuzzLoadCatalog(f *testing.F) {
	s := catalogServer(twoModels)
	file := savedCatalog(f, s)
	_, content, _ := bytes.Cut(file, []byte("\n"))
	for _, seed := range []string{string(file), string(content), twoModels, "", "{}", "mesh-go-catalog 2 0\n{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, file := range []string{string(text), withDigest(string(text))} {
			c := s.inProcess()
			if err := c.LoadCatalog(strings.NewReader(file)); err != nil {
				requireValueError(t, err, "reader")
				requireValueError(t, c.SaveCatalog(io.Discard), "Client")
				continue
			}
			second := s.inProcess()
			require.NoError(t, second.LoadCatalog(bytes.NewReader(save(t, c))))
			old := discovery.CatalogOptions{TTL: 1<<63 - 1}
			assert.Equal(t, list(t, c, old), list(t, second, old))
		}
	})
}
