package discoverytest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/mesh-gateway/mesh-go/discovery"
)

//go:embed gemini.json
var geminiModels []byte

// geminiRoute serves Google's models: paged, with rows that omit empty fields.
func (s *Server) geminiRoute() route {
	rows := readRows(geminiModels)
	return route{
		op: ListGeminiModels, service: discovery.ServiceGemini, pattern: "GET /v1beta/models",
		keyHeader: "X-Goog-Api-Key", refuse: refuseGoogle,
		run: func(r *http.Request) answer { return s.listGeminiModels(r, rows) },
	}
}

func (s *Server) listGeminiModels(r *http.Request, rows []json.RawMessage) answer {
	query := r.URL.Query()
	size, valid := googlePageSize(query, 50, 1000)
	after, err := base64.StdEncoding.DecodeString(query.Get("pageToken"))
	cut, more, known := page(rows, "name", string(after), s.pageOf(size))
	if !valid || err != nil || !known {
		return googleError("Request contains an invalid argument.")
	}
	// proto3 omits what is empty.
	body := object{}
	if len(cut) > 0 {
		body["models"] = cut
	}
	if more {
		// Base64 shows whether a client escapes the token.
		body["nextPageToken"] = base64.StdEncoding.EncodeToString([]byte(field(cut[len(cut)-1], "name")))
	}
	return answer{Status: http.StatusOK, Header: googleJSON, Body: body}
}

var googleJSON = http.Header{"Content-Type": {"application/json; charset=UTF-8"}}

// googlePageSize returns the page size: the default when none is given. Google reads 0 as the default and a larger number as
// the maximum; the documents do not allow either, so a test notices a client that relies on it.
func googlePageSize(query url.Values, usual, most int) (size int, valid bool) {
	if !query.Has("pageSize") {
		return usual, true
	}
	size, err := strconv.Atoi(query.Get("pageSize"))
	if err != nil || size < 1 || size > most {
		return 0, false
	}
	return size, true
}

// refuseGoogle refuses a missing or wrong key with 400.
func refuseGoogle(string) answer {
	return googleError("API key not valid. Please pass a valid API key.", object{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
		"metadata": object{"service": "generativelanguage.googleapis.com"},
	})
}

func googleError(message string, details ...object) answer {
	problem := object{"code": http.StatusBadRequest, "message": message, "status": "INVALID_ARGUMENT"}
	if len(details) > 0 {
		problem["details"] = details
	}
	return answer{Status: http.StatusBadRequest, Header: googleJSON, Body: object{"error": problem}}
}
