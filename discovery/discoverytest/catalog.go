package discoverytest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

//go:embed catalog.json
var standardCatalog []byte

// StandardCatalog returns the default catalog: 109 rows in current and older forms, with
// one id twice.
func StandardCatalog() []json.RawMessage {
	return embedded[struct{ Data []json.RawMessage }](standardCatalog).Data
}

// SetCatalog replaces the catalog's rows, which changes its ETag. See [WithCatalog].
func (s *Server) SetCatalog(rows ...json.RawMessage) {
	for i, row := range rows {
		if !json.Valid(row) {
			panic(fmt.Sprintf("discoverytest: catalog row %d is not JSON", i))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = slices.Clone(rows)
}

// listCatalog ignores filters.
func (s *Server) listCatalog(r *http.Request) response {
	body := s.catalogBody()
	return unlessMatched(r, body, response{Status: http.StatusOK, Body: body})
}

// unlessMatched adds the body's ETag to full, or returns 304 if the client has that body.
func unlessMatched(r *http.Request, body []byte, full response) response {
	tag := etag(body)
	full.Header = http.Header{"Etag": {tag}}
	if matches(r.Header.Values("If-None-Match"), tag) {
		return response{Status: http.StatusNotModified, Header: full.Header}
	}
	return full
}

func (s *Server) catalogBody() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := `{"object":"list","data":[`, `]}`
	if s.bare {
		before, after = `[`, `]`
	}
	parts := make([][]byte, 0, len(s.rows))
	for _, row := range s.rows {
		parts = append(parts, row)
	}
	return slices.Concat([]byte(before), bytes.Join(parts, []byte(",")), []byte(after))
}

// etag imitates the catalog: a weak tag from the hexadecimal length and a digest.
func etag(body []byte) string {
	digest := sha256.Sum256(body)
	return fmt.Sprintf(`W/"%x-%s"`, len(body), base64.RawStdEncoding.EncodeToString(digest[:20]))
}

// matches compares If-None-Match as in RFC 9110: weakly, with any tag in a list, or *.
func matches(ifNoneMatch []string, tag string) bool {
	known := strings.Join(ifNoneMatch, ",")
	return known == "*" || strings.Contains(known, strings.TrimPrefix(tag, "W/")) // tags are quoted
}

// StandardFacts returns the built-in facts as one text, which the server serves until
// [Server.SetFacts] replaces them.
func StandardFacts() string {
	var text strings.Builder
	_, _ = facts.BuiltIn().WriteTo(&text) // a strings.Builder never fails
	return text.String()
}

// SetFacts replaces the facts. The text is served unchanged, even if it's damaged.
func (s *Server) SetFacts(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts = text
}

func (s *Server) getFacts(r *http.Request) response {
	s.mu.Lock()
	text := s.facts
	s.mu.Unlock()
	return unlessMatched(r, []byte(text), response{Status: http.StatusOK, Text: text})
}
