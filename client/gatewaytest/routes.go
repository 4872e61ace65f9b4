package gatewaytest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
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
type answer struct {
	status int
	body   any    // written as JSON
	text   string // written as plain text when body is nil
}

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

// serve records a request, lets a planned fault have its way, and otherwise answers with op.
func (g *Gateway) serve(op Operation, run func(*http.Request) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.record(op, r, body)
		fault := g.nextFault(op)
		if fault == nil {
			write(w, g.answer(op, r, run))
			return
		}
		if fault.AfterEffect {
			g.answer(op, r, run)
		}
		if !g.wait(r, fault.Delay) {
			panic(http.ErrAbortHandler) // nobody is waiting for the answer
		}
		if fault.onlyLate() {
			write(w, g.answer(op, r, run))
			return
		}
		fail(w, *fault)
	}
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
	return answer{status: http.StatusOK, body: map[string]any{
		"status": "ok", "service": "mesh-gateway", "version": "0.1.2",
		"schema_version": 12, "db_path": ":memory:", "n_peers_enabled": enabled, "n_tasks_pending": 0,
	}}
}

func notFound(*http.Request) answer { return refuse(http.StatusNotFound, "Not Found") }

func refuse(status int, detail string) answer {
	return answer{status: status, body: map[string]any{"detail": detail}}
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
	return answer{status: http.StatusUnprocessableEntity, body: map[string]any{"detail": []issue{i}}}
}

func missing(field string, input any) answer {
	return invalid(issue{Type: "missing", Loc: []any{"body", field}, Msg: "Field required", Input: input})
}

func write(w http.ResponseWriter, a answer) {
	if a.body == nil {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) // fails only when the client has gone
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
