package gatewaytest

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Peer operations.
const (
	ListPeers    Operation = "listPeers"
	RegisterPeer Operation = "registerPeer"
	GetPeer      Operation = "getPeer"
)

// peer is a peer in GET /peers/{name}.
type peer struct {
	Name         string `json:"name"`
	URL          string `json:"url"`
	Capabilities object `json:"capabilities"`
	RegisteredAt string `json:"registered_at"`
	LastSeen     string `json:"last_seen"`
	Enabled      int    `json:"enabled"` // 1 or 0

	// The fields below are always false or null.
	LastHealth         any  `json:"last_health"`
	Ratified           bool `json:"ratified"`
	RatifiedAt         any  `json:"ratified_at"`
	RatifiedBy         any  `json:"ratified_by"`
	RatificationReason any  `json:"ratification_reason"`
}

// listedPeer is a peer in GET /peers.
type listedPeer struct {
	peer

	Owner any `json:"owner"` // null
}

func (g *Gateway) listPeers(r *http.Request) (action, []issue) {
	f := queryFields(r.URL.Query())
	enabledOnly := f.boolean("enabled_only", true)
	return func(*peer) response {
		rows := []listedPeer{}
		for _, name := range slices.Sorted(maps.Keys(g.peers)) {
			if p := g.peers[name]; p.Enabled == 1 || !enabledOnly {
				rows = append(rows, listedPeer{peer: *p})
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
	return func(*peer) response {
		if p := g.peers[name]; p != nil {
			return ok(*p)
		}
		return refuse(http.StatusNotFound, fmt.Sprintf("peer '%s' not registered", name))
	}, nil
}

func (g *Gateway) registerPeer(r *http.Request) (action, []issue) {
	f := readBody(r)
	name, url := f.required("name", maxName), f.required("url", maxURL)
	capabilities := f.object("capabilities")
	return func(*peer) response {
		return ok(g.register(name, url, capabilities))
	}, f.issues
}

// register adds or renews a peer and returns the real gateway's response, which is not a
// whole peer. The response has a token only when a name is registered for the first time.
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
		p = &peer{Name: name, RegisteredAt: now, Enabled: 1}
		g.peers[name] = p
		token := "EXAMPLE-" + rand.Text()
		g.callers[token] = p
		result["peer_token"], result["token_status"] = token, "minted"
	}
	p.URL, p.Capabilities, p.LastSeen = url, capabilities, now
	return result
}
