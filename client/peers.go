package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/jsonlist"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// MeshPeer is a node registered at the gateway. It is a generated type;
// [gateway.MeshPeer] lists its fields. Name is always set, and Capabilities is never nil;
// its numbers are json.Number. If the gateway did not send a field, URL, LastHealth,
// LastSeen, RegisteredAt and PeerToken are nil, and Enabled is true. Times are strings,
// unchanged from the gateway.
//
// AdditionalProperties has unknown properties as raw JSON. A later version may add a
// field for one and remove it from the map.
type MeshPeer = gateway.MeshPeer

// Secret is a string that prints, logs and marshals as "[REDACTED]". It has no exported
// fields. Its method Reveal returns the string, and Equal, like ==, reports whether two
// secrets are the same string. The zero Secret is empty.
type Secret = secret.Secret

// RegisterRequest describes the node to register.
type RegisterRequest struct {
	// URL is the node's network address. Gateways require one, but nothing in this module
	// connects to it. The default is "http://NODE:8787".
	URL string
	// Capabilities describes the node to its peers, as any JSON object, which is not scanned
	// for credentials. It replaces earlier capabilities; nil clears them at current
	// gateways.
	Capabilities map[string]any
	// Extra adds request properties for a newer gateway. Its strings and keys are scanned
	// for credentials. "name" and properties that have their own field are a [*ValueError].
	Extra map[string]any
}

var opListPeers = operation{method: http.MethodGet, path: "/peers", repeatable: true, noPages: true}

// ListPeers returns the enabled peers in the gateway's order (GET /peers). The slice is
// not nil unless there is an error.
//
// One peer's huge Capabilities cannot make the list unreadable: ListPeers drops those
// over [WithMaxResponseBytes] or nested more than 1000 levels deep. If the list is still
// too large, it is requested again without capabilities over 64 KiB, and then without
// any. ListPeers logs a warning, and the peer has empty Capabilities and the additional
// property "capabilities_dropped".
func (c *MeshClient) ListPeers(ctx context.Context) ([]MeshPeer, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	peers, err := c.listWithin(ctx, c.capabilityLimits())
	c.warnDropped(ctx, peers)
	return peers, err
}

// listWithin lowers the capability limit, in bytes, while the list is too large.
func (c *MeshClient) listWithin(ctx context.Context, limits []int64) (peers []MeshPeer, err error) {
	for i, largest := 0, limits[0]; i < len(limits); i++ {
		if i == 0 || exceedsBound(err) && largest > limits[i] {
			peers, largest, err = c.listPeers(ctx, limits[i])
		}
	}
	return peers, err
}

// listPeers drops capabilities over limit bytes. largest is the biggest size that it
// kept.
func (c *MeshClient) listPeers(ctx context.Context, limit int64) (peers []MeshPeer, largest int64, err error) {
	var f *jsonlist.Filter
	op := opListPeers
	op.filter = func(body io.Reader) io.Reader {
		f = &jsonlist.Filter{Body: body, List: peerRows.list, Field: capabilitiesField, Limit: limit}
		return f
	}
	list, header, err := requestList[gateway.PeerList](ctx, c, op, peerRows, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListPeers(ctx, nil)
	})
	if f != nil {
		largest = f.Largest
	}
	return list.Peers, largest, withIncomplete(err, header, list.AdditionalProperties, len(list.Peers), nil)
}

var opRegister = operation{method: http.MethodPost, path: "/peers/register"}

// Register registers the client's node (POST /peers/register). [WithRetry] never repeats
// the request. No other method registers the node; agent.Serve and agent.Answer can.
//
// Current gateways return only some MeshPeer fields. PeerToken is set only when a name is
// registered for the first time. Save the string from its Reveal method then: the gateway
// never returns it again.
//
// Capabilities that cannot be written as JSON, strings that are not valid UTF-8, and the
// node "claims", which ServeOptions.Lease uses, are a [*ValueError].
func (c *MeshClient) Register(ctx context.Context, req RegisterRequest) (*MeshPeer, error) {
	if err := cmp.Or(req.check(), c.ready(ctx)); err != nil {
		return nil, err
	}
	if c.node == seam.ClaimNode {
		return nil, invalidValue("node", c.node, "is reserved for ServeOptions.Lease")
	}
	if err := cmp.Or(c.redactor.checkProperties(req.Extra, registerNames), c.redactor.scanProperties(req.Extra, nil)); err != nil {
		return nil, err
	}
	req.URL = cmp.Or(req.URL, "http://"+c.node+":8787")
	body, err := encodeProperties(gateway.RegisterPeerRequest{Name: c.node, URL: req.URL, Capabilities: req.Capabilities}, req.Extra)
	if err != nil {
		return nil, err
	}
	resp, err := c.do(ctx, opRegister, func(ctx context.Context) (*http.Response, error) {
		return c.api.RegisterPeerWithBody(ctx, "application/json", bytes.NewReader(body))
	})
	if err != nil {
		return nil, err
	}
	peer := new(MeshPeer)
	if err := c.decode(opRegister, resp, peer.UnmarshalJSON); err != nil {
		if peer = unwrapRegistration(resp.Body, c.node); peer == nil {
			return nil, err
		}
	}
	return peer, nil
}

// completeRegistration fills in values that the gateway would otherwise clear.
func (c *MeshClient) completeRegistration(ctx context.Context, req *RegisterRequest) error {
	if req.URL != "" && req.Capabilities != nil {
		return nil
	}
	peer, err := c.GetPeer(ctx, c.node)
	if unknown := (*NotInRegistryError)(nil); errors.As(err, &unknown) {
		return nil
	}
	if err != nil {
		return err
	}
	req.URL = cmp.Or(req.URL, peer.GetURL())
	if req.Capabilities == nil {
		req.Capabilities = peer.Capabilities
	}
	return nil
}

// unwrapRegistration finds the registration in one of the response's fields, or returns
// nil. A gateway may wrap it one day, and its token is returned only once.
func unwrapRegistration(body []byte, node string) *MeshPeer {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	for _, field := range fields {
		peer := new(MeshPeer)
		if peer.UnmarshalJSON(field) != nil || peer.Name != node {
			continue
		}
		var outer struct {
			PeerToken *string `json:"peer_token"`
		}
		if json.Unmarshal(body, &outer) == nil && outer.PeerToken != nil && peer.PeerToken == nil {
			token := secret.New(*outer.PeerToken)
			peer.PeerToken = &token
		}
		return peer
	}
	return nil
}

// opGetPeer takes a redacted name.
func opGetPeer(name string) operation {
	return operation{method: http.MethodGet, path: "/peers/" + name, repeatable: true, absence: true}
}

// GetPeer returns a peer by its name or alias, even if it is disabled
// (GET /peers/{name}). An unknown name is a [*NotInRegistryError]. Capabilities that are
// too large are dropped as in [MeshClient.ListPeers]. If the gateway is too old for this
// request, GetPeer searches the enabled peers (GET /peers).
func (c *MeshClient) GetPeer(ctx context.Context, name string) (*MeshPeer, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	peer, err := c.findPeer(ctx, resolveAlias(c.aliases, name), c.capabilityLimits()...)
	if err != nil {
		return nil, err
	}
	c.warnDropped(ctx, []MeshPeer{*peer})
	return peer, nil
}

// findPeer is GetPeer without aliases. It tries each capability limit, in bytes, until
// the response fits.
func (c *MeshClient) findPeer(ctx context.Context, name string, limits ...int64) (peer *MeshPeer, err error) {
	for _, limit := range limits {
		if peer, err = c.getPeer(ctx, name, limit); !exceedsBound(err) {
			break
		}
	}
	if !errors.Is(err, ErrNoSuchPath) {
		return peer, err
	}
	peers, failed := c.listWithin(ctx, limits)
	if i := slices.IndexFunc(peers, func(p MeshPeer) bool { return p.Name == name }); i >= 0 {
		return &peers[i], nil
	}
	bad := rowErrors(failed)
	if i := slices.IndexFunc(bad, func(row *RowError) bool { return row.Name == name }); i >= 0 {
		return nil, bad[i]
	}
	if withoutRowErrors(failed) == nil {
		err = &NotInRegistryError{Name: c.redactor.show(name)}
	}
	return nil, err
}

func (c *MeshClient) getPeer(ctx context.Context, name string, limit int64) (*MeshPeer, error) {
	if err := checkPathSegment("name", name); err != nil {
		return nil, err
	}
	op := opGetPeer(c.redactor.show(name))
	op.filter = func(body io.Reader) io.Reader {
		return &jsonlist.Filter{Body: body, Field: capabilitiesField, Limit: limit}
	}
	peer, err := request[MeshPeer](ctx, c, op, func(ctx context.Context) (*http.Response, error) {
		return c.api.GetPeer(ctx, name)
	})
	if statusOf(err) == http.StatusNotFound && !errors.Is(err, ErrNoSuchPath) {
		return nil, &NotInRegistryError{Name: c.redactor.show(name)}
	}
	return peer, err
}

// Capability limits per peer, in bytes. While a response is too large, we try
// maxCapabilities and then fewCapabilities, which keeps {} and null.
const (
	maxCapabilities = 64 << 10
	fewCapabilities = 16
	noCapabilities  = -1
)

// A row has capabilitiesDropped instead of capabilitiesField if its capabilities were
// dropped.
const (
	capabilitiesField   = "capabilities"
	capabilitiesDropped = "capabilities_dropped"
)

func (c *MeshClient) capabilityLimits() []int64 {
	return []int64{c.limits.MaxBytes, maxCapabilities, fewCapabilities}
}

func exceedsBound(err error) bool {
	return errors.Is(err, ErrTooLarge) || errors.Is(err, wire.ErrTooMany)
}

const maxWarned = 10

func (c *MeshClient) warnDropped(ctx context.Context, peers []MeshPeer) {
	var names []string
	for _, p := range peers {
		if _, dropped := p.AdditionalProperties[capabilitiesDropped]; dropped {
			names = append(names, c.redactor.show(p.Name))
		}
	}
	if n := len(names); n > 0 {
		c.log.WarnContext(ctx, "dropped peer capabilities that are too large", "count", n, "peers", names[:min(n, maxWarned)])
	}
}
