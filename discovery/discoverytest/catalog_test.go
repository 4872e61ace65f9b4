package discoverytest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

const catalog = discoverytest.ListCatalog

func raw(rows ...string) []json.RawMessage {
	all := []json.RawMessage{}
	for _, row := range rows {
		all = append(all, json.RawMessage(row))
	}
	return all
}

func TestStandardCatalogIsTheRecordedOne(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile("catalog.json")
	require.NoError(t, err)
	r := start(t).call(catalog, "")
	assert.Equal(t, 200, r.Status)
	assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
	assert.JSONEq(t, string(recorded), r.Body)
	assert.Len(t, r.Rows(t, "data"), 109)
	assert.Len(t, discoverytest.StandardCatalog(), 109)
}

func TestBareCatalogIsAnArrayOfUnchangedRows(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]discoverytest.Option{
		{discoverytest.WithBareCatalog(), discoverytest.WithCatalog(raw(`{"id":"a"}`, ` {"id" : "b"}`)...)},
		{discoverytest.WithCatalog(raw(`{"id":"a"}`, ` {"id" : "b"}`)...), discoverytest.WithBareCatalog()},
	} {
		assert.Equal(t, `[{"id":"a"}, {"id" : "b"}]`, start(t, opts...).call(catalog, "").Body, "rows go out as they are")
	}
}

func TestEmptyCatalogIsAnEmptyList(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `{"object":"list","data":[]}`, start(t, discoverytest.WithCatalog()).call(catalog, "").Body)
}

// Clients have to be tested with unreadable rows, too.
func TestRowsMayViolateTheDocument(t *testing.T) {
	t.Parallel()
	s := start(t, discoverytest.WithCatalog(raw(`{"id":7}`, `null`, `{"id":"a"}`)...))
	r, request, response := s.validate(catalog, "")
	require.NoError(t, request)
	require.ErrorContains(t, response, `Error at "/id": value must be a string`)
	assert.Equal(t, `{"object":"list","data":[{"id":7},null,{"id":"a"}]}`, r.Body)
}

func TestCatalogRowMustBeJSON(t *testing.T) {
	t.Parallel()
	assert.PanicsWithValue(t, "discoverytest: catalog row 1 is not JSON", func() {
		discoverytest.Start(discoverytest.WithCatalog(raw(`{}`, `{"id":`)...))
	})
}

func TestMatchingETagReturns304(t *testing.T) {
	t.Parallel()
	s := start(t)
	tag := s.call(catalog, "").Header.Get("ETag")
	require.Regexp(t, `^W/"[0-9a-f]+-[0-9A-Za-z+/]+"$`, tag)
	strong := strings.TrimPrefix(tag, "W/")
	for _, known := range []string{tag, strong, `"other", ` + tag, tag + `,W/"other"`, "*"} {
		r := s.call(catalog, "", "If-None-Match", known)
		assert.Equal(t, 304, r.Status, known)
		assert.Empty(t, r.Body)
		assert.Empty(t, r.Header.Get("Content-Type"))
		assert.Equal(t, tag, r.Header.Get("ETag"))
	}
	for _, other := range []string{`W/"other"`, strings.Trim(strong, `"`), `""`, "W/" + strings.ToUpper(strong)} {
		r := s.call(catalog, "", "If-None-Match", other)
		assert.Equal(t, 200, r.Status, other)
		assert.Len(t, r.Rows(t, "data"), 109)
	}
}

func TestETagChangesWithTheContent(t *testing.T) {
	t.Parallel()
	s := start(t)
	standard := s.call(catalog, "").Header.Get("ETag")
	assert.Equal(t, standard, start(t).call(catalog, "").Header.Get("ETag"), "of another server too")
	assert.NotEqual(t, standard, start(t, discoverytest.WithBareCatalog()).call(catalog, "").Header.Get("ETag"))

	s.SetCatalog(append(discoverytest.StandardCatalog(), raw(`{"id":"new"}`)...)...)
	r := s.call(catalog, "", "If-None-Match", standard)
	assert.Equal(t, 200, r.Status)
	assert.Equal(t, "new", r.Rows(t, "data")[109]["id"])
	assert.NotEqual(t, standard, r.Header.Get("ETag"))
	s.SetCatalog(discoverytest.StandardCatalog()...)
	assert.Equal(t, 304, s.call(catalog, "", "If-None-Match", standard).Status)
}

// The server copies its rows.
func TestCatalogIsCopied(t *testing.T) {
	t.Parallel()
	rows := raw(`{"id":"a"}`)
	s := start(t, discoverytest.WithCatalog(rows...))
	rows[0] = json.RawMessage(`{"id":"b"}`)
	assert.Equal(t, []any{"a"}, nettest.Column(s.call(catalog, "").Rows(t, "data"), "id"))
	discoverytest.StandardCatalog()[0] = nil
	assert.NotNil(t, discoverytest.StandardCatalog()[0])
}
