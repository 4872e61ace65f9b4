package gatewaytest

import (
	"crypto/rand"
	"net/http"
)

type peer struct {
	name, url    string
	capabilities map[string]any
	registeredAt string
	lastSeen     string
	disabled     bool
}

// row is a peer as GET /peers shows it, with the fields that no document lists (WIRE.md G1 and G18).
func (p *peer) row() map[string]any {
	return map[string]any{
		"name":                p.name,
		"url":                 p.url,
		"capabilities":        p.capabilities,
		"registered_at":       p.registeredAt,
		"last_health":         nil,
		"last_seen":           p.lastSeen,
		"enabled":             1,
		"ratified":            false,
		"ratified_at":         nil,
		"ratified_by":         nil,
		"ratification_reason": nil,
		"owner":               nil,
	}
}

func (g *Gateway) listPeers(*http.Request) answer {
	rows := []map[string]any{}
	for _, p := range g.peers {
		if !p.disabled {
			rows = append(rows, p.row())
		}
	}
	if g.bareArrays {
		return answer{Status: http.StatusOK, Body: rows}
	}
	return answer{Status: http.StatusOK, Body: map[string]any{"peers": rows}}
}

func (g *Gateway) registerPeer(r *http.Request) answer {
	body, bad := readBody(r)
	if bad != nil {
		return *bad
	}
	for _, field := range []string{"name", "url"} {
		if text, _ := body[field].(string); text == "" {
			return missing(field, body)
		}
	}
	capabilities, _ := body["capabilities"].(map[string]any)
	return answer{Status: http.StatusOK, Body: g.register(body["name"].(string), body["url"].(string), capabilities)}
}

// register adds or renews a peer and returns the partial answer of the real gateway: the token is shown once (WIRE.md G4).
func (g *Gateway) register(name, url string, capabilities map[string]any) map[string]any {
	if capabilities == nil {
		capabilities = map[string]any{}
	}
	now := timestamp()
	result := map[string]any{
		"status": "registered", "name": name, "registered_at": now,
		"ratified": false, "registered_unratified": true, "peer_token": nil, "token_status": "existing",
	}
	p := g.find(name)
	if p == nil {
		p = &peer{name: name, registeredAt: now}
		g.peers = append(g.peers, p)
		result["peer_token"], result["token_status"] = "EXAMPLE-"+rand.Text(), "minted"
	}
	p.url, p.capabilities, p.lastSeen = url, capabilities, now
	return result
}

func (g *Gateway) find(name string) *peer {
	for _, p := range g.peers {
		if p.name == name {
			return p
		}
	}
	return nil
}
