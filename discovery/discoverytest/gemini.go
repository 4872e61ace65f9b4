package discoverytest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
)

//go:embed gemini.json
var geminiModels []byte

// listGeminiModels returns models in pages; proto3 omits what is empty.
func (s *Server) listGeminiModels(r *http.Request) answer {
	cut, next, valid := s.googlePage(r.URL.Query(), readRows(geminiModels), "name", 50, 1000)
	if !valid {
		return gemini.bad("Request contains an invalid argument.")
	}
	body := object{}
	if len(cut) > 0 {
		body["models"] = cut
	}
	if next != "" {
		body["nextPageToken"] = next
	}
	return answer{Status: http.StatusOK, Header: googleJSON, Body: body}
}

// googlePage returns a page of rows with the field id, and the token of the next one. The size of a page is usual if the query has none.
// Google reads 0 as the default and a larger number as the maximum; the documents do not allow either, so a test notices a client that
// relies on it. Tokens are in base64, which shows whether a client escapes them.
func (s *Server) googlePage(query url.Values, rows []json.RawMessage, id string, usual, most int) (cut []json.RawMessage, next string, valid bool) {
	size, valid := s.pageRows(query, "pageSize", usual, most)
	after, err := base64.StdEncoding.DecodeString(query.Get("pageToken"))
	cut, more, known := page(rows, id, string(after), size)
	if more {
		next = base64.StdEncoding.EncodeToString([]byte(field(cut[len(cut)-1], id)))
	}
	return cut, next, valid && err == nil && known
}

var googleJSON = http.Header{"Content-Type": {"application/json; charset=UTF-8"}}
