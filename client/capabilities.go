package client

import (
	"context"
	"errors"
	"io"

	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// Limits of the capabilities of one peer, in bytes. maxCapabilities applies after the list has exceeded a bound, fewCapabilities
// after it has exceeded one again; it keeps {} and null.
const (
	maxCapabilities = 64 << 10
	fewCapabilities = 16
	noCapabilities  = -1
)

// maxNesting is the number of levels above which capabilities are dropped whatever their size: decoders fail at 10,000.
const maxNesting = 1000

// capabilitiesDropped is the field that a row has in place of its capabilities.
const capabilitiesDropped = "capabilities_dropped"

// withoutCapabilities filters one peer.
func withoutCapabilities(body io.Reader) io.Reader {
	return (&capabilityFilter{limit: noCapabilities, row: 1}).reader(body)
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
	count := 0
	for _, p := range peers {
		if _, dropped := p.AdditionalProperties[capabilitiesDropped]; !dropped {
			continue
		}
		if count++; len(names) < maxWarned {
			names = append(names, c.redactor.show(p.Name))
		}
	}
	if count > 0 {
		c.log.WarnContext(ctx, "capabilities of peers are too large and were dropped", "count", count, "peers", names)
	}
}

// capabilityFilter replaces the value of the field capabilities of each row by null if it exceeds a bound.
type capabilityFilter struct {
	nesting

	limit   int64
	row     int    // the depth inside a row; 0 before the first bracket
	name    []byte // the last string of a row
	held    []byte // the value so far
	holding bool
	dropped bool
	largest int64 // the number of bytes of the largest value that was kept
}

func (f *capabilityFilter) reader(body io.Reader) io.Reader {
	return &filter{body: body, edit: f.edit, end: f.flush}
}

func (f *capabilityFilter) edit(out []byte, c byte) []byte {
	depth := f.depth
	if f.holding {
		if f.next(c) && depth == f.row && (c == ',' || c == '}') {
			return append(f.flush(out), c)
		}
		f.hold(c)
		return out
	}
	structural := f.next(c)
	switch {
	case structural && f.row == 0:
		f.row = rowDepth(c)
	case depth == f.row && structural && c == ':':
		f.holding = string(f.name) == `"capabilities"`
	case depth == f.row && !structural:
		f.keepName(c)
	}
	return append(out, c)
}

// keepName keeps the text of the last string, with its quotes.
func (f *capabilityFilter) keepName(c byte) {
	if c == '"' && f.quoted {
		f.name = f.name[:0]
	}
	if (f.quoted || c == '"') && len(f.name) <= len(`"capabilities"`) {
		f.name = append(f.name, c)
	}
}

func (f *capabilityFilter) hold(c byte) {
	if f.dropped {
		return
	}
	f.held = append(f.held, c)
	if int64(len(f.held)) > f.limit || f.depth > f.row+maxNesting {
		f.held, f.dropped = nil, true
	}
}

// flush appends what is left of the value.
func (f *capabilityFilter) flush(out []byte) []byte {
	if f.dropped {
		out = append(out, `null,"`+capabilitiesDropped+`":true`...)
	}
	f.largest = max(f.largest, int64(len(f.held)))
	out = append(out, f.held...)
	f.held, f.holding, f.dropped = f.held[:0], false, false
	return out
}
