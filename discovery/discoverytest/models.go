package discoverytest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// openAIModels have a shutdown_date that is a date, null or absent.
//
//go:embed openai.json
var openAIModels []byte

//go:embed anthropic.json
var anthropicModels []byte

// anthropicVersion is the only version of the API.
const anthropicVersion = "2023-06-01"

// listAnthropicModels returns models in pages, newest first.
func (s *Server) listAnthropicModels(r *http.Request) answer {
	query := r.URL.Query()
	limit, valid := s.pageRows(query, "limit", 20, 1000)
	rows, unknown := inLifecycle(readRows(anthropicModels), query["lifecycle[]"])
	cut, more, known := page(rows, "id", query.Get("after_id"), limit)
	switch {
	case r.Header.Get("Anthropic-Version") != anthropicVersion:
		return anthropic.bad("anthropic-version: header is required, and must be a known version")
	case !valid:
		return anthropic.bad("limit: Input should be a whole number from 1 to 1000")
	case unknown != "":
		return anthropic.bad(fmt.Sprintf("lifecycle: %q is not one of active, deprecated, retired", unknown))
	case !known:
		return anthropic.bad("after_id: there is no such model in this list")
	}
	body := object{"data": cut, "has_more": more, "first_id": nil, "last_id": nil}
	if len(cut) > 0 {
		body["first_id"], body["last_id"] = field(cut[0], "id"), field(cut[len(cut)-1], "id")
	}
	return ok(body)
}

// inLifecycle returns the models with one of the given lifecycles. Retired models are listed only on request.
func inLifecycle(rows []json.RawMessage, lifecycles []string) (found []json.RawMessage, unknown string) {
	if len(lifecycles) == 0 {
		lifecycles = []string{"active", "deprecated"}
	}
	for _, lifecycle := range lifecycles {
		if !slices.Contains([]string{"active", "deprecated", "retired"}, lifecycle) {
			return nil, lifecycle
		}
	}
	found = []json.RawMessage{}
	for _, row := range rows {
		if slices.Contains(lifecycles, field(row, "lifecycle")) {
			found = append(found, row)
		}
	}
	return found, ""
}

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

// deepSeekModels has rows in the current and in the older form.
//
//go:embed deepseek.json
var deepSeekModels []byte

// deepSeekBalance has both currencies, with every amount in quotes.
//
//go:embed deepseek_balance.json
var deepSeekBalance []byte

// xaiModels have aliases, context_length and prices, but not in every row.
//
//go:embed xai.json
var xaiModels []byte

// xaiLanguageModels have prices; those of cached input and of long prompts are not in every row.
//
//go:embed xai_language_models.json
var xaiLanguageModels []byte

// cloudBillingSKUs are 46 recorded SKUs of 597, in ten styles of description.
//
//go:embed cloudbilling.json
var cloudBillingSKUs []byte

// geminiService is the only service with SKUs.
const geminiService = "AEFD-7695-64FA"

// listSKUs returns the price list of Gemini in pages, with an empty token on the last one, in US dollars only.
func (s *Server) listSKUs(r *http.Request) answer {
	if r.PathValue("service") != geminiService {
		return cloudBilling.fail(http.StatusNotFound, "unknown service", nil)
	}
	query := r.URL.Query()
	cut, next, valid := s.googlePage(query, readRows(cloudBillingSKUs), "skuId", 5000, 5000)
	if currency := query.Get("currencyCode"); !valid || (currency != "" && currency != "USD") {
		return cloudBilling.bad("Request contains an invalid argument.")
	}
	return answer{Status: http.StatusOK, Header: googleJSON, Body: object{"skus": cut, "nextPageToken": next}}
}
