package discoverytest

import (
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
)

// listAnthropicCosts returns Anthropic's cost report: 212.5 cents a day up to yesterday, of which 2.25 are of the default
// workspace. Grouped by description a day has three results.
func (s *Server) listAnthropicCosts(r *http.Request) answer {
	return s.listAnthropic(r, "anthropic", "workspace_id", "description")
}

// listAnthropicUsage returns the usage report, with the tokens of the same days: one result, of which fields that are not grouped by are null.
func (s *Server) listAnthropicUsage(r *http.Request) answer {
	return s.listAnthropic(r, "anthropic usage", "model", "service_tier", "context_window", "inference_geo")
}

// listAnthropic returns a page of the report with a name, which can be grouped by groups.
func (s *Server) listAnthropic(r *http.Request, name string, groups ...string) answer {
	if r.Header.Get("Anthropic-Version") != anthropicVersion {
		return anthropic.bad("anthropic-version: header is required, and must be a known version")
	}
	body, wrong := s.days(r.URL.Query(), dayReport{
		name: name, from: "starting_at", to: "ending_at", mostDays: 31, whole: true, groups: groups,
		read: func(text string) (int64, error) {
			t, err := time.Parse(time.RFC3339, text)
			return t.Unix(), err
		},
		bucket: func(day int64, results []object) object {
			return object{"starting_at": rfc3339(day), "ending_at": rfc3339(day + calendar.SecondsPerDay), "results": results}
		},
	})
	if wrong != "" {
		return anthropic.bad(wrong + ": Input is not valid")
	}
	return ok(body)
}

func rfc3339(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }
