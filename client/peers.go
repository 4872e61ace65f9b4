package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// MeshPeer is one row of the peer list (SPEC.md, MeshPeer). It is the generated type: [gateway.MeshPeer] lists the fields.
// Name is always there; URL, LastHealth, LastSeen, RegisteredAt and PeerToken are nil when the gateway does not say;
// Capabilities is never nil and holds numbers as json.Number; Enabled is true when the gateway does not say. Times are
// strings as the gateway wrote them.
//
// AdditionalProperties keeps the fields this version does not know as raw JSON. A later version may give one of them a
// field of its own, and then it is no longer in the map.
type MeshPeer = gateway.MeshPeer

// Secret is a text that prints, logs and marshals as "[REDACTED]"; Reveal returns it.
type Secret = secret.Secret

// RegisterRequest is what a node says of itself. The zero value says nothing.
type RegisterRequest struct {
	// URL is the network URL of the node's service; "" leaves it out, which today's gateway refuses with 422 (WIRE.md G5).
	URL string
	// Capabilities is the advert payload, anything JSON can express. nil leaves it out. It replaces what was registered
	// before, wholesale (WIRE.md G6), so an empty map clears it.
	Capabilities map[string]any
}

// ListPeers returns the registered peers, in the gateway's order (GET /peers). The slice is never nil without an error.
func (c *MeshClient) ListPeers(ctx context.Context) ([]MeshPeer, error) {
	resp, err := c.do(ctx, opListPeers, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListPeers(ctx, nil)
	})
	if err != nil {
		return nil, err
	}
	if blank(resp) {
		return []MeshPeer{}, nil
	}
	var list gateway.PeerList
	if err := c.decode(opListPeers, resp, &list); err != nil {
		return nil, err
	}
	return list.Peers, nil
}

// Register registers this client's node (POST /peers/register). It is never called by itself and never repeated.
//
// Today's gateway answers only a part of the peer (WIRE.md G4), so only what is in the answer is filled in. PeerToken is
// shown once, at the first registration of a name: keep it then, with Reveal, or it is lost.
//
// Capabilities that JSON cannot express are a [*ValueError].
func (c *MeshClient) Register(ctx context.Context, req RegisterRequest) (*MeshPeer, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	resp, err := c.do(ctx, opRegister, func(ctx context.Context) (*http.Response, error) {
		return c.api.RegisterPeer(ctx, gateway.RegisterPeerRequest{Name: c.node, URL: req.URL, Capabilities: req.Capabilities})
	})
	if err != nil {
		return nil, err
	}
	peer := new(MeshPeer)
	if err := c.decode(opRegister, resp, peer); err != nil {
		return nil, err
	}
	return peer, nil
}

// check refuses what JSON cannot carry.
func (req RegisterRequest) check() error {
	if _, err := json.Marshal(req.Capabilities); err != nil {
		return &ValueError{Field: "capabilities", Reason: "cannot be written as JSON"}
	}
	if !validTexts(req.Capabilities) {
		return &ValueError{Field: "capabilities", Reason: "has a text that is not valid UTF-8"}
	}
	return checkText("URL", req.URL)
}

// validTexts looks at the texts of what decoded JSON consists of. Other types are for their MarshalJSON to answer for.
func validTexts(value any) bool {
	switch v := value.(type) {
	case string:
		return utf8.ValidString(v)
	case []string:
		return !slices.ContainsFunc(v, func(text string) bool { return !utf8.ValidString(text) })
	case []any:
		return !slices.ContainsFunc(v, func(element any) bool { return !validTexts(element) })
	case map[string]any:
		for key, element := range v {
			if !utf8.ValidString(key) || !validTexts(element) {
				return false
			}
		}
	}
	return true
}

// blank reports whether a body is empty, which the gateway means as no value (SPEC.md, Gateway HTTP API).
func blank(resp call.Response) bool { return len(bytes.TrimSpace(resp.Body)) == 0 }
