package discovery_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// FuzzCatalog feeds any bytes to the catalog decoder: no panic, no model without id, nothing unknown that
// reads as 0 or "", a number of rows that adds up, and a list only where the answer is valid JSON.
func FuzzCatalog(f *testing.F) {
	f.Add(recordedCatalog(f)[:2000])
	for _, seed := range []string{twoModels, `[]`, `null`, `{}`, `{"data":[{"id":"a","developer":"D","aliases":["b"]},{"id":"b","developer":"E"}]}`,
		`[{"id":"a","info":{"developer":"D","contextLength":"1e2","outputMax":-5}}]`, `{"data":[1,2,{"id":"x","developer":"y"}],"data":[]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := catalogServer(string(body))
		models, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		if !json.Valid(body) {
			assert.Empty(t, models)
		}
		assert.Equal(t, len(models) == 0, len(s.failures) > 0 && s.failures[len(s.failures)-1].Reason == discovery.ReasonDecode)
		for _, m := range models {
			assert.NotEmpty(t, m.ID)
			for _, n := range []*int64{m.ContextLength, m.MaxTokens} {
				assert.True(t, n == nil || *n > 0)
			}
			for _, text := range []*string{m.Name, m.Description, m.Type} {
				assert.True(t, text == nil || *text != "")
			}
		}
	})
}

// FuzzLoadCatalog loads any bytes as a catalog file, as they are and with their right digest. A rejected file changes nothing;
// what is accepted is saved again, and the saved file gives the same models.
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
