package discoverytest

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// usageRoute is what xAI billed a team (WIRE.md section 3), by day: a series for each description, one with amounts as
// numbers and one as texts, in US dollars. Other units than a day, and windows of over a year, are refused.
func (s *Server) usageRoute() route {
	return route{
		op: GetXAIUsage, service: discovery.ServiceXAIManagement, pattern: "POST /v1/billing/teams/{team_id}/usage",
		keyHeader: "Authorization", refuse: refuseManagement, run: getUsage,
	}
}

// usageTime is how xAI writes a time: with a blank, and without a zone, which stands beside it.
const usageTime = "2006-01-02 15:04:05"

func getUsage(r *http.Request) answer {
	var body struct {
		AnalyticsRequest struct {
			TimeRange struct{ StartTime, EndTime, Timezone string }
			TimeUnit  string
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return badUsage("the body cannot be read")
	}
	window := body.AnalyticsRequest.TimeRange
	zone, err := time.LoadLocation(window.Timezone)
	if err != nil {
		return badUsage("unknown timezone")
	}
	start, err := time.ParseInLocation(usageTime, window.StartTime, zone)
	end, endErr := time.ParseInLocation(usageTime, window.EndTime, zone)
	if err != nil || endErr != nil || end.Sub(start) > 366*24*time.Hour {
		return badUsage("the time range cannot be read")
	}
	if body.AnalyticsRequest.TimeUnit != "TIME_UNIT_DAY" {
		return badUsage("only TIME_UNIT_DAY is played here")
	}
	return ok(object{"timeSeries": []object{
		series("Chat grok-4.5", start, end, 1.25), series("File Storage", start, end, "0.05"),
	}, "limitReached": false})
}

// series is one description with a point for each day that begins in the window.
func series(label string, start, end time.Time, value any) object {
	points := []object{}
	for day := start; day.Before(end); day = day.AddDate(0, 0, 1) {
		points = append(points, object{"timestamp": day.UTC().Format(time.RFC3339), "values": []any{value}})
	}
	return object{"group": []string{label}, "groupLabels": []string{label}, "dataPoints": points}
}

func badUsage(message string) answer {
	return answer{Status: http.StatusBadRequest, Body: object{"code": 3, "message": message, "details": []any{}}}
}

// refuseManagement refuses every key that is no management key of the team.
func refuseManagement(string) answer {
	return answer{Status: http.StatusUnauthorized, Body: object{"code": 16, "message": "Invalid management key.", "details": []any{}}}
}
