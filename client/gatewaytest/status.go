package gatewaytest

import "net/http"

// GetHealth is the operation of the gateway as a whole.
const GetHealth Operation = "getHealth"

func (g *Gateway) health(*http.Request) (action, []issue) {
	return func(*peer) answer {
		enabled := 0
		for _, p := range g.peers {
			enabled += p.Enabled
		}
		return ok(object{
			"status": "ok", "service": "mesh-gateway", "version": "0.1.2",
			"schema_version": 12, "db_path": ":memory:", "n_peers_enabled": enabled, "n_tasks_pending": 0,
		})
	}, nil
}

func (g *Gateway) features(*http.Request) (action, []issue) {
	return func(*peer) answer {
		return ok(object{"features": []any{}, "count": 0, "generated_at": timestamp()})
	}, nil
}

// createTask refuses an incomplete task as the real gateway does. A complete one is refused too: there are no tasks here.
func (g *Gateway) createTask(r *http.Request) (action, []issue) {
	f := readBody(r)
	for _, field := range []string{"task_id", "category", "spec_json", "added_by"} {
		f.given(field)
	}
	return func(*peer) answer { return refuse(http.StatusNotImplemented, "gatewaytest has no tasks") }, f.issues
}
