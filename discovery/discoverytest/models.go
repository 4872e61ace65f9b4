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

// openAIModels have a shutdown_date that is a date, null or missing.
//
//go:embed openai.json
var openAIModels []byte

//go:embed anthropic.json
var anthropicModels []byte

// anthropicVersion is the API's only version.
const anthropicVersion = "2023-06-01"

// listAnthropicModels returns pages, newest model first.
func (s *Server) listAnthropicModels(r *http.Request) response {
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

// inLifecycle filters models. Retired models are listed only on request.
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

// listGeminiModels omits empty fields, as proto3 does.
func (s *Server) listGeminiModels(r *http.Request) response {
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
	return response{Status: http.StatusOK, Header: googleJSON, Body: body}
}

// googlePage returns a page of rows and the next page's token. id is the field that
// identifies a row. Tokens are base64, to check that clients escape them.
//
// Google reads a pageSize of 0 as the default, and a large one as the maximum. Its
// documents allow neither, so the server refuses both.
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

// deepSeekModels has rows in the current and older form.
//
//go:embed deepseek.json
var deepSeekModels []byte

// deepSeekBalance has both currencies, with quoted amounts.
//
//go:embed deepseek_balance.json
var deepSeekBalance []byte

// xaiModels have aliases, context_length and prices, but not in every row.
//
//go:embed xai.json
var xaiModels []byte

// xaiLanguageModels have prices. Only some rows have prices for cached input and long
// prompts.
//
//go:embed xai_language_models.json
var xaiLanguageModels []byte

// cloudBillingSKUs are 46 of 597 recorded SKUs, with ten styles of description.
//
//go:embed cloudbilling.json
var cloudBillingSKUs []byte

const geminiService = "AEFD-7695-64FA"

// listSKUs returns pages of Gemini's price list, in US dollars only. The last page's
// token is empty.
func (s *Server) listSKUs(r *http.Request) response {
	if r.PathValue("service") != geminiService {
		return cloudBilling.fail(http.StatusNotFound, "unknown service", nil)
	}
	query := r.URL.Query()
	cut, next, valid := s.googlePage(query, readRows(cloudBillingSKUs), "skuId", 5000, 5000)
	if currency := query.Get("currencyCode"); !valid || (currency != "" && currency != "USD") {
		return cloudBilling.bad("Request contains an invalid argument.")
	}
	return response{Status: http.StatusOK, Header: googleJSON, Body: object{"skus": cut, "nextPageToken": next}}
}
