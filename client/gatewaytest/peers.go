package gatewaytest

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Operations of peers.
const (
	ListPeers    Operation = "listPeers"
	RegisterPeer Operation = "registerPeer"
	GetPeer      Operation = "getPeer"
)

type peer struct {
	name, url    string
	capabilities object
	registeredAt string
	lastSeen     string
	disabled     bool
}

// row is a peer as GET /peers/{name} shows it. enabled is the number 1 or 0.
func (p *peer) row() object {
	enabled := 1
	if p.disabled {
		enabled = 0
	}
	return object{
		"name":                p.name,
		"url":                 p.url,
		"capabilities":        p.capabilities,
		"registered_at":       p.registeredAt,
		"last_health":         nil,
		"last_seen":           p.lastSeen,
		"enabled":             enabled,
		"ratified":            false,
		"ratified_at":         nil,
		"ratified_by":         nil,
		"ratification_reason": nil,
	}
}

func (g *Gateway) listPeers(r *http.Request) (action, []issue) {
	f := queryFields(r.URL.Query())
	enabledOnly := f.boolean("enabled_only", true)
	return func(*peer) answer {
		rows := []object{}
		for _, name := range slices.Sorted(maps.Keys(g.peers)) {
			if p := g.peers[name]; !p.disabled || !enabledOnly {
				row := p.row()
				row["owner"] = nil
				rows = append(rows, row)
			}
		}
		if g.bareArrays {
			return ok(rows)
		}
		return ok(object{"peers": rows})
	}, f.issues
}

func (g *Gateway) getPeer(r *http.Request) (action, []issue) {
	name := r.PathValue("name")
	return func(*peer) answer {
		if p := g.peers[name]; p != nil {
			return ok(p.row())
		}
		return refuse(http.StatusNotFound, fmt.Sprintf("peer '%s' not registered", name))
	}, nil
}

func (g *Gateway) registerPeer(r *http.Request) (action, []issue) {
	f := readBody(r)
	name, url := f.required("name", maxName), f.required("url", maxURL)
	capabilities := f.object("capabilities")
	return func(*peer) answer {
		return ok(g.register(name, url, capabilities))
	}, f.issues
}

// register adds or renews a peer and returns the answer of the real gateway, which is not a whole peer. The token of the peer
// is in the answer to its first registration only.
func (g *Gateway) register(name, url string, capabilities object) object {
	if capabilities == nil {
		capabilities = object{}
	}
	now := timestamp()
	result := object{
		"status": "registered", "name": name, "registered_at": now,
		"ratified": false, "registered_unratified": true, "peer_token": nil, "token_status": "existing",
	}
	p := g.peers[name]
	if p == nil {
		p = &peer{name: name, registeredAt: now}
		g.peers[name] = p
		token := "EXAMPLE-" + rand.Text()
		g.callers[token] = p
		result["peer_token"], result["token_status"] = token, "minted"
	}
	p.url, p.capabilities, p.lastSeen = url, capabilities, now
	return result
}
