package discoverytest

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
)

// listAnthropicCosts returns Anthropic's cost report: 212.5 cents a day up to yesterday, of which 2.25 are of the default
// workspace. Grouped by description a day has three results.
func (s *Server) listAnthropicCosts(r *http.Request) answer {
	return s.listAnthropic(r, anthropicDay, "workspace_id", "description")
}

// listAnthropicUsage returns the usage report, with the tokens of the same days: one result, of which fields that are not grouped by are null.
func (s *Server) listAnthropicUsage(r *http.Request) answer {
	return s.listAnthropic(r, anthropicUsage, "model", "service_tier", "context_window", "inference_geo")
}

// listAnthropic returns a page of a report whose days have the results of the groupings, which may be those of known.
func (s *Server) listAnthropic(r *http.Request, results func(groups []string) []object, known ...string) answer {
	if r.Header.Get("Anthropic-Version") != anthropicVersion {
		return badAnthropicRequest("anthropic-version: header is required, and must be a known version")
	}
	body, wrong := s.days(r.URL.Query(), dayReport{
		from: "starting_at", to: "ending_at", mostDays: 31, whole: true, groups: known,
		read: func(text string) (int64, error) {
			t, err := time.Parse(time.RFC3339, text)
			return t.Unix(), err
		},
		bucket: func(day int64, groups []string) object {
			return object{"starting_at": rfc3339(day), "ending_at": rfc3339(day + calendar.SecondsPerDay), "results": results(groups)}
		},
	})
	if wrong != "" {
		return badAnthropicRequest(wrong + ": Input is not valid")
	}
	return ok(body)
}

func rfc3339(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }

// anthropicCosts are the results of a day by grouping. Fields that are not grouped by are null.
//
//go:embed anthropic_costs.json
var anthropicCosts []byte

// anthropicDay returns the results of a day.
func anthropicDay(groups []string) []object {
	var days map[string][]object
	if err := json.Unmarshal(anthropicCosts, &days); err != nil {
		panic(err)
	}
	byWorkspace := slices.Contains(groups, "workspace_id")
	switch {
	case slices.Contains(groups, "description"):
		for _, cost := range days["description"] {
			if !byWorkspace {
				cost["workspace_id"] = nil
			}
		}
		return days["description"]
	case byWorkspace:
		return days["workspace_id"]
	}
	return days[""]
}

// anthropicUsage returns the tokens of a day at five and 25 dollars for a million.
func anthropicUsage(groups []string) []object {
	used := decoded(`{
		"uncached_input_tokens": 360500, "cache_read_input_tokens": 0, "output_tokens": 12000,
		"cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}, "server_tool_use": {"web_search_requests": 2}
	}`)
	setGrouped(used, groups, map[string]string{
		"model": "claude-opus-4-8", "service_tier": "standard", "context_window": "0-200k", "inference_geo": "not_available",
	})
	return []object{used}
}
