package discoverytest

import (
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

// anthropicDay returns the results of a day. Fields that are not grouped by are null.
func anthropicDay(groups []string) []object {
	workspace := any(nil)
	if slices.Contains(groups, "workspace_id") {
		workspace = "wrkspc_example"
	}
	switch {
	case slices.Contains(groups, "description"):
		return []object{
			anthropicTokens("180.25", workspace, "Input Tokens", "uncached_input_tokens"),
			anthropicTokens("30", workspace, "Output Tokens", "output_tokens"),
			anthropicCost("2.25", nil, object{"cost_type": "web_search", "description": "Web Search Usage"}),
		}
	case workspace != nil:
		return []object{anthropicCost("210.25", workspace, nil), anthropicCost("2.25", nil, nil)}
	}
	return []object{anthropicCost("212.5", nil, nil)}
}

func anthropicTokens(cents string, workspace any, name, kind string) object {
	return anthropicCost(cents, workspace, object{
		"cost_type": "tokens", "description": "Claude Opus 4.8 Usage - " + name, "model": "claude-opus-4-8", "token_type": kind,
		"service_tier": "standard", "context_window": "0-200k", "inference_geo": "not_available",
	})
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

// anthropicCost returns a result with the given fields, and null in the others.
func anthropicCost(cents string, workspace any, fields object) object {
	cost := object{"amount": cents, "currency": "USD", "workspace_id": workspace}
	for _, name := range []string{"cost_type", "description", "model", "token_type", "service_tier", "context_window", "inference_geo"} {
		cost[name] = fields[name]
	}
	return cost
}
