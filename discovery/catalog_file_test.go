package discovery_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// taggedCatalog returns a server whose catalog has an ETag, and how often it sent the
// catalog.
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

// savedCatalog reads the catalog with a new client and returns the saved file.
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

// withDigest returns a catalog file with this content and its correct digest.
func withDigest(content string) string {
	return fmt.Sprintf("mesh-go-catalog 1 %x\n%s", sha256.Sum256([]byte(content)), content)
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
		assert.Equal(t, file, save(t, c), "saving a loaded catalog gives the same bytes")
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
		assert.Equal(t, file, save(t, c), "the age is still the request's")
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
	assert.Equal(t, want, save(t, c), "during an outage, the last good catalog is saved")
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
		var f *discovery.Failure
		require.ErrorAs(t, err, &f)
		assert.Equal(t, discovery.ReasonPartial, f.Reason)
	}
	assert.Equal(t, []string{"partial", "partial"}, s.reasons(), "once for the request, once for the file")
}

// shortWriter takes n bytes and then fails.
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
