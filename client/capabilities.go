package client

import (
	"context"
	"errors"
	"io"

	"github.com/mesh-gateway/mesh-go/internal/jsonlist"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// Limits of the capabilities of one peer, in bytes. maxCapabilities applies after the list has exceeded a bound, fewCapabilities
// after it has exceeded one again; it keeps {} and null.
const (
	maxCapabilities = 64 << 10
	fewCapabilities = 16
	noCapabilities  = -1
)

// The name of the field, and of the one that a row has in place of its capabilities.
const (
	capabilitiesField   = "capabilities"
	capabilitiesDropped = "capabilities_dropped"
)

// peerFilter returns the filter of one peer, without capabilities of more than limit bytes.
func peerFilter(limit int64) func(io.Reader) io.Reader {
	return func(body io.Reader) io.Reader {
		return &jsonlist.Filter{Body: body, Field: capabilitiesField, Limit: limit}
	}
}

// exceedsBound reports whether err is the error of a response that is too large.
func exceedsBound(err error) bool {
	return errors.Is(err, ErrTooLarge) || errors.Is(err, wire.ErrTooMany)
}

// maxWarned is the number of peers that a warning names.
const maxWarned = 10

// warnDropped logs which peers have lost their capabilities.
func (c *MeshClient) warnDropped(ctx context.Context, peers []MeshPeer) {
	var names []string
	for _, p := range peers {
		if _, dropped := p.AdditionalProperties[capabilitiesDropped]; dropped {
			names = append(names, c.redactor.show(p.Name))
		}
	}
	if n := len(names); n > 0 {
		c.log.WarnContext(ctx, "capabilities of peers are too large and were dropped", "count", n, "peers", names[:min(n, maxWarned)])
	}
}
