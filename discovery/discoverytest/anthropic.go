package discoverytest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

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
