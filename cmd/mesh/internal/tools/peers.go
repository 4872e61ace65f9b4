package tools

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

type skipArguments struct {
	Skip int `json:"skip,omitempty" jsonschema:"next_skip of the previous result"`
}

type toolPeers struct {
	Notice   string     `json:"notice"`
	Peers    []toolPeer `json:"peers"`
	NextSkip int        `json:"next_skip,omitempty"`
	Invalid  string     `json:"invalid,omitempty"`
}

type toolPeer struct {
	Content  toolNode `json:"untrusted_content"`
	LastSeen string   `json:"last_seen,omitempty"`
}

// toolNode describes a node by what it registered.
type toolNode struct {
	Name         string `json:"name"`
	Capabilities string `json:"capabilities,omitempty"` // JSON, which may be cut
}

func (t *meshTools) peers(ctx context.Context, in skipArguments) (toolPeers, error) {
	peers, err := t.client.ListPeers(ctx)
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return toolPeers{}, err
	}
	peers = slices.DeleteFunc(peers, func(p client.MeshPeer) bool { return safeName(p.Name) == nil }) // it cannot be a recipient
	items, next := part(peers, in.Skip, func(p client.MeshPeer) toolPeer { return toolPeer{toolNode{p.Name, capabilities(p)}, p.GetLastSeen()} })
	return toolPeers{notice, items, next, invalidNote(invalid)}, nil
}

// maxCapabilities is how many characters of the capabilities of a node mesh_peers shows.
const maxCapabilities = 300

// capabilities returns the beginning of the capabilities of a node.
func capabilities(p client.MeshPeer) string {
	text, err := json.Marshal(p.Capabilities)
	if err != nil || len(p.Capabilities) == 0 {
		return ""
	}
	if end := fitting(string(text), maxCapabilities); end < len(text) {
		return string(text[:end]) + "…"
	}
	return string(text)
}
