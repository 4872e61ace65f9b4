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
		return badGoogleRequest("Request contains an invalid argument.")
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
	size, valid := pageSize(query, "pageSize", usual, most)
	after, err := base64.StdEncoding.DecodeString(query.Get("pageToken"))
	cut, more, known := page(rows, id, string(after), s.pageOf(size))
	if more {
		next = base64.StdEncoding.EncodeToString([]byte(field(cut[len(cut)-1], id)))
	}
	return cut, next, valid && err == nil && known
}

var googleJSON = http.Header{"Content-Type": {"application/json; charset=UTF-8"}}

// refuseGoogle refuses a missing or wrong key with 400.
func refuseGoogle(string) answer { return invalidGoogleKey("generativelanguage.googleapis.com") }

func invalidGoogleKey(service string) answer {
	return googleError(http.StatusBadRequest, object{
		"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT",
		"details": []object{{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
			"metadata": object{"service": service},
		}},
	})
}

func badGoogleRequest(message string) answer {
	return googleError(http.StatusBadRequest, object{"message": message, "status": "INVALID_ARGUMENT"})
}

func googleError(status int, problem object) answer {
	problem["code"] = status
	return answer{Status: status, Header: googleJSON, Body: object{"error": problem}}
}
