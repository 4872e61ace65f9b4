package discovery_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// taggedCatalog returns a server whose catalog has an ETag, and the number of times that it sent the catalog.
func taggedCatalog(body string) (s *fakeServer, sent *int) {
	sent = new(int)
	return newFakeServer(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `W/"1"`)
		if r.Header.Get("If-None-Match") == `W/"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		*sent++
		_, _ = w.Write([]byte(body))
	}}), sent
}

// savedCatalog reads the catalog of s with a client of its own and returns the file.
func savedCatalog(tb testing.TB, s *fakeServer) []byte {
	tb.Helper()
	c := s.inProcess()
	_, err := c.ListModels(tb.Context(), discovery.CatalogOptions{})
	require.NoError(tb, err)
	return save(tb, c)
}

func save(tb testing.TB, c *discovery.Client) []byte {
	tb.Helper()
	var file bytes.Buffer
	require.NoError(tb, c.SaveCatalog(&file))
	return file.Bytes()
}

func list(tb testing.TB, c *discovery.Client, opts discovery.CatalogOptions) []discovery.ModelInfo {
	tb.Helper()
	models, err := c.ListModels(tb.Context(), opts)
	require.NoError(tb, err)
	return models
}

// withDigest returns a catalog file with the content and its right digest.
func withDigest(content string) string {
	return fmt.Sprintf("mesh-go-catalog 1 %x\n%s", sha256.Sum256([]byte(content)), content)
}

// changed returns the file with one text in its content replaced, and the right digest.
func changed(tb testing.TB, file []byte, from, to string) string {
	tb.Helper()
	_, content, _ := bytes.Cut(file, []byte("\n"))
	require.Contains(tb, string(content), from)
	return withDigest(strings.Replace(string(content), from, to, 1))
}

func TestLoadedCatalogEqualsTheSavedOne(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"recorded": string(recordedCatalog(t)), "two models": twoModels} {
		s := catalogServer(body)
		want := list(t, s.inProcess(), discovery.CatalogOptions{})
		file := savedCatalog(t, s)
		requests := s.count("catalog")

		c := s.inProcess()
		require.NoError(t, c.LoadCatalog(bytes.NewReader(file)), name)
		assert.Equal(t, want, list(t, c, discovery.CatalogOptions{}), name)
		assert.Equal(t, file, save(t, c), "a loaded catalog is saved as the same bytes")
		for _, id := range []string{"gpt-4o", "grok-4.5", "GPT-4O"} {
			supported, err := c.IsModelSupported(t.Context(), id, discovery.CatalogOptions{})
			require.NoError(t, err)
			assert.True(t, supported, "aliases and spellings are indexed")
		}
		assert.Equal(t, requests, s.count("catalog"), "nothing was requested")
		assert.Empty(t, s.reasons())
	}
}

func TestLoadedCatalogKeepsItsAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, sent := taggedCatalog(twoModels)
		file := savedCatalog(t, s)
		time.Sleep(20 * time.Hour)
		c := s.inProcess()
		require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
		list(t, c, discovery.CatalogOptions{})
		assert.Equal(t, 1, s.count("catalog"), "20 hours are less than the TTL")
		list(t, c, discovery.CatalogOptions{TTL: 21 * time.Hour})
		assert.Equal(t, 1, s.count("catalog"))

		time.Sleep(4 * time.Hour)
		assert.Len(t, list(t, c, discovery.CatalogOptions{}), 2)
		assert.Equal(t, 2, s.count("catalog"), "24 hours since the request, not since loading")
		assert.Equal(t, 1, *sent, "the ETag was sent, and the answer was 304")

		renewed := save(t, c)
		time.Sleep(20 * time.Hour)
		c = s.inProcess()
		require.NoError(t, c.LoadCatalog(bytes.NewReader(renewed)))
		list(t, c, discovery.CatalogOptions{})
		assert.Equal(t, 2, s.count("catalog"), "304 renews the age")
		assert.Empty(t, s.reasons())
	})
}

func TestLoadedCatalogIsRequestedWithItsETag(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]discovery.CatalogOptions{"refresh": {Refresh: true}, "short TTL": {TTL: time.Nanosecond}} {
		s, sent := taggedCatalog(twoModels)
		file := savedCatalog(t, s)
		c := s.inProcess()
		require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
		assert.Len(t, list(t, c, opts), 2, name)
		assert.Equal(t, 2, s.count("catalog"), name)
		assert.Equal(t, 1, *sent, name)
	}
}

func TestLoadedCatalogIsTheLastGoodOneInAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := catalogServer(twoModels)
		file := savedCatalog(t, s)
		time.Sleep(48 * time.Hour)
		s.set("catalog", respondStatus(503, ""))
		c := s.inProcess()
		require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
		assert.Len(t, list(t, c, discovery.CatalogOptions{}), 2)
		assert.Equal(t, []string{"status", "partial"}, s.reasons())
		assert.Equal(t, file, save(t, c), "the age is still that of the request")
	})
}

func TestProvidersOwnListsAreNotSaved(t *testing.T) {
	setKeys(t)
	s := providerServer(respondStatus(503, ""))
	c := s.inProcess()
	require.NotEmpty(t, list(t, c, discovery.CatalogOptions{}))
	var file bytes.Buffer
	requireValueError(t, c.SaveCatalog(&file), "Client")
	assert.Zero(t, file.Len())

	s.set("catalog", respond(twoModels))
	list(t, c, discovery.CatalogOptions{Refresh: true})
	want := save(t, c)
	s.set("catalog", respondStatus(503, ""))
	require.NotEqual(t, 2, len(list(t, c, discovery.CatalogOptions{Refresh: true})))
	assert.Equal(t, want, save(t, c), "during an outage the last good catalog is saved")
}

func TestSaveCatalogWithoutACatalog(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	c := s.inProcess()
	var file bytes.Buffer
	requireValueError(t, c.SaveCatalog(&file), "Client")
	assert.Zero(t, file.Len())
	assert.Zero(t, s.count("catalog"))

	list(t, c, discovery.CatalogOptions{})
	c.InvalidateCatalog()
	assert.NotEmpty(t, save(t, c), "an invalidated catalog is still the last good one")
}

func TestOlderFileDoesNotReplaceANewerCatalog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := catalogServer(twoModels)
		file := savedCatalog(t, s)
		time.Sleep(time.Hour)
		s.set("catalog", respond(`[{"id":"new","developer":"D"}]`))
		c := s.inProcess()
		list(t, c, discovery.CatalogOptions{})
		require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
		assert.Equal(t, []string{"new"}, ids(list(t, c, discovery.CatalogOptions{})))
		newer := save(t, c)

		c = s.inProcess()
		require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
		require.NoError(t, c.LoadCatalog(bytes.NewReader(newer)))
		require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
		assert.Equal(t, []string{"new"}, ids(list(t, c, discovery.CatalogOptions{})))
		assert.Equal(t, 2, s.count("catalog"))
	})
}

func TestRowsThatWereLeftOutAreReportedAfterLoading(t *testing.T) {
	t.Parallel()
	s := catalogServer(`[{"id":"a","developer":"D"},{"id":"b","developer":"D"},7]`)
	file := savedCatalog(t, s)
	require.Equal(t, []string{"partial"}, s.reasons())

	c := s.inProcess(discovery.WithStrictErrors())
	require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
	require.NoError(t, c.LoadCatalog(bytes.NewReader(file)))
	for range 2 {
		models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		assert.Len(t, models, 2)
		var f discovery.Failure
		require.ErrorAs(t, err, &f)
		assert.Equal(t, discovery.ReasonPartial, f.Reason)
	}
	assert.Equal(t, []string{"partial", "partial"}, s.reasons(), "once for the request, once for the file")
}

// unchanged checks that LoadCatalog rejects the file without quoting it, and that the client still has nothing.
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
	other := discovery.New(discovery.WithCatalogURL("http://test.invalid/other/catalog"))
	requireValueError(t, other.LoadCatalog(bytes.NewReader(file)), "reader")

	for name, test := range map[string]struct{ file, reason string }{
		"empty":               {"", "is not a file of SaveCatalog"},
		"JSON":                {twoModels, "is not a file of SaveCatalog"},
		"executable":          {"\x7fELF\x02\x01\x01\x00", "is not a file of SaveCatalog"},
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

// zeros is a reader without an end that counts what was read.
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

// shortWriter is a writer that takes n bytes and then fails.
type shortWriter struct{ n int }

var errDiskFull = errors.New("disk full")

func (w shortWriter) Write(p []byte) (int, error) { return min(w.n, len(p)), errDiskFull }

func TestErrorsOfReaderAndWriterAreReturned(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	file := savedCatalog(t, s)
	c := s.inProcess()
	broken := io.MultiReader(bytes.NewReader(file[:100]), iotest.ErrReader(errDiskFull))
	require.ErrorIs(t, c.LoadCatalog(broken), errDiskFull)
	requireValueError(t, c.SaveCatalog(io.Discard), "Client")

	require.NoError(t, c.LoadCatalog(iotest.OneByteReader(bytes.NewReader(file))))
	require.ErrorIs(t, c.SaveCatalog(shortWriter{n: 10}), errDiskFull)
	requireValueError(t, c.SaveCatalog(nil), "writer")
	requireValueError(t, c.LoadCatalog(nil), "reader")
	var zero discovery.Client
	requireValueError(t, zero.SaveCatalog(io.Discard), "Client")
	requireValueError(t, zero.LoadCatalog(bytes.NewReader(file)), "Client")
}

func TestCatalogFileContainsNoPartOfTheURL(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	c := s.inProcess(discovery.WithCatalogURL("http://internal.example/catalog/proxy-secret"))
	list(t, c, discovery.CatalogOptions{})
	file := save(t, c)
	assert.NotContains(t, string(file), "proxy-secret")
	assert.NotContains(t, string(file), "internal.example")
}

func TestSaveAndLoadDuringRequests(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	file := savedCatalog(t, s)
	c := s.inProcess()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { assert.NoError(t, c.LoadCatalog(bytes.NewReader(file))) })
		all.Go(func() {
			models, err := c.ListModels(context.Background(), discovery.CatalogOptions{Refresh: true})
			assert.NoError(t, err)
			assert.Len(t, models, 2)
		})
		all.Go(func() { _ = c.SaveCatalog(io.Discard) })
		all.Go(c.InvalidateCatalog)
	}
	all.Wait()
}
