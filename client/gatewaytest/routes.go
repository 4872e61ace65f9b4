package gatewaytest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Operation names an operation of the gateway by its operationId in specs/gateway.yaml.
type Operation string

// The operations of the gateway.
const (
	ListPeers       Operation = "listPeers"
	RegisterPeer    Operation = "registerPeer"
	ListMessages    Operation = "listMessages"
	SendMessage     Operation = "sendMessage"
	MarkMessageRead Operation = "markMessageRead"
	GetHealth       Operation = "getHealth"
)

// answer is what an operation wants to say.
type answer = testserver.Answer

func (g *Gateway) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /peers", g.serve(ListPeers, g.listPeers))
	mux.HandleFunc("POST /peers/register", g.serve(RegisterPeer, g.registerPeer))
	mux.HandleFunc("GET /messages", g.serve(ListMessages, g.listMessages))
	mux.HandleFunc("POST /messages", g.serve(SendMessage, g.sendMessage))
	mux.HandleFunc("POST /messages/{msg_id}/read", g.serve(MarkMessageRead, g.markMessageRead))
	mux.HandleFunc("GET /health", g.serve(GetHealth, g.health))
	mux.HandleFunc("/", g.serve("", notFound))
	return mux
}

// serve answers with run, once the token has been looked at, unless a planned fault has its way.
func (g *Gateway) serve(op Operation, run func(*http.Request) answer) http.HandlerFunc {
	return g.site.Handle(op, func(r *http.Request) answer { return g.answer(op, r, run) })
}

func (g *Gateway) answer(op Operation, r *http.Request, run func(*http.Request) answer) answer {
	if refusal := g.authenticate(op, r); refusal != nil {
		return *refusal
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return run(r)
}

// authenticate checks the bearer token (WIRE.md G15); /health needs none (G16), nor does a path that leads nowhere.
func (g *Gateway) authenticate(op Operation, r *http.Request) *answer {
	if op == GetHealth || op == "" || g.token.Reveal() == "" {
		return nil
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		a := refuse(http.StatusUnauthorized, "missing bearer token")
		return &a
	}
	if token != g.token.Reveal() {
		a := refuse(http.StatusUnauthorized, "bad token")
		return &a
	}
	return nil
}

func (g *Gateway) health(*http.Request) answer {
	enabled := 0
	for _, p := range g.peers {
		if !p.disabled {
			enabled++
		}
	}
	return answer{Status: http.StatusOK, Body: map[string]any{
		"status": "ok", "service": "mesh-gateway", "version": "0.1.2",
		"schema_version": 12, "db_path": ":memory:", "n_peers_enabled": enabled, "n_tasks_pending": 0,
	}}
}

func notFound(*http.Request) answer { return refuse(http.StatusNotFound, "Not Found") }

func refuse(status int, detail string) answer {
	return answer{Status: status, Body: map[string]any{"detail": detail}}
}

// issue is one entry of a 422's detail (WIRE.md G14). It echoes the input.
type issue struct {
	Type  string         `json:"type"`
	Loc   []any          `json:"loc"`
	Msg   string         `json:"msg"`
	Input any            `json:"input"`
	Ctx   map[string]any `json:"ctx,omitempty"`
}

func invalid(i issue) answer {
	return answer{Status: http.StatusUnprocessableEntity, Body: map[string]any{"detail": []issue{i}}}
}

func missing(field string, input any) answer {
	return invalid(issue{Type: "missing", Loc: []any{"body", field}, Msg: "Field required", Input: input})
}

// readBody reads a JSON object with its numbers exact, or says why it cannot.
func readBody(r *http.Request) (map[string]any, *answer) {
	dec := json.NewDecoder(r.Body)
	dec.UseNumber()
	var body map[string]any
	if err := dec.Decode(&body); err != nil || body == nil {
		a := invalid(issue{Type: "json_invalid", Loc: []any{"body", 0}, Msg: "JSON decode error", Input: map[string]any{}})
		return nil, &a
	}
	return body, nil
}
