package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// Limits of the registry. They are far beyond any real one, so that the capabilities of one peer cannot stop every Send: what
// is kept of a response is names alone.
const (
	maxRegistryBytes = 1 << 30
	maxRegistryNames = 200_000
	// maxRegistryText bounds what the parser keeps in memory: a name, a flag, the name of a field.
	maxRegistryText = 4 << 20
)

// readRegistry returns the names of the enabled peers (GET /peers). It parses the response while it arrives and skips
// everything but the names and the enabled flags.
func (c *MeshClient) readRegistry(ctx context.Context) (nameSet, error) {
	var names nameSet
	var invalid error
	var begin prefix
	op := opListPeers
	op.maxBytes = maxRegistryBytes
	op.read = func(body io.Reader) {
		begin = prefix{}
		names, invalid = parseRegistry(io.TeeReader(body, &begin))
	}
	resp, err := c.do(ctx, op, func(ctx context.Context) (*http.Response, error) {
		return c.api.ListPeers(ctx, nil)
	})
	if err != nil {
		return nil, err
	}
	resp.Body = begin.text
	if invalid == nil || blank(resp) {
		return names, nil
	}
	var contract *wire.Error
	if errors.As(invalid, &contract) {
		invalid = contract // without what jx wrapped around it
	}
	return nil, c.invalidBody(op, resp, invalid, contract != nil)
}

// prefix keeps the beginning of what is written to it, without blanks in front, so that it is empty only if all of it is blank.
type prefix struct{ text []byte }

// maxPrefix is enough for the excerpt in an error.
const maxPrefix = 16 << 10

// Write implements io.Writer.
func (p *prefix) Write(data []byte) (int, error) {
	text := data
	if len(p.text) == 0 {
		text = bytes.TrimLeft(data, blanks)
	}
	p.text = append(p.text, text[:min(len(text), maxPrefix-len(p.text))]...)
	return len(data), nil
}

// parseRegistry reads a list of peers: an array, or an object with the array in the field peers.
func parseRegistry(body io.Reader) (nameSet, error) {
	text := &textReader{next: body, left: maxRegistryText}
	p := registryParser{d: jx.Decode(text, 64<<10), text: text, names: make(nameSet)}
	var err error
	switch p.d.Next() {
	case jx.Array:
		err = p.peers("")
	case jx.Object:
		err = p.envelope()
	default:
		err = p.wrongType("", "a list of peers")
	}
	if err != nil {
		return nil, err
	}
	if p.d.Next() != jx.Invalid || !errors.Is(p.d.Skip(), io.EOF) {
		return nil, errTrailingData
	}
	return p.names, nil
}

var (
	errMissing      = errors.New("required field is missing")
	errTrailingData = errors.New("data after the JSON value")
	errTooManyNames = &wire.Error{Err: errors.New("more than " + strconv.Itoa(maxRegistryNames) + " peers")}
	errLongText     = &wire.Error{Err: errors.New("a name or a flag is longer than " + strconv.Itoa(maxRegistryText) + " bytes")}
)

// textReader fails when more than left bytes are read. The decoder keeps every text that it does not skip in memory.
type textReader struct {
	next io.Reader
	left int
}

// Read implements io.Reader.
func (r *textReader) Read(data []byte) (int, error) {
	n, err := r.next.Read(data)
	if r.left -= n; r.left < 0 {
		return 0, errLongText
	}
	return n, err
}

// registryParser reads names and enabled flags from a stream of JSON.
type registryParser struct {
	d     *jx.Decoder
	text  *textReader
	names nameSet
}

// skip skips a value, however long it is.
func (p *registryParser) skip() error {
	p.text.left = math.MaxInt
	defer func() { p.text.left = maxRegistryText }()
	return p.d.Skip()
}

func (p *registryParser) envelope() error {
	found := false
	err := p.d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		if string(key) != "peers" {
			return p.skip()
		}
		found = true
		if d.Next() != jx.Array {
			return p.wrongType("peers", "an array")
		}
		return p.peers("peers")
	})
	if err == nil && !found {
		return &wire.Error{Path: "peers", Err: errMissing}
	}
	return err
}

func (p *registryParser) peers(path string) error {
	i := 0
	return p.d.Arr(func(*jx.Decoder) error {
		row := path + "[" + strconv.Itoa(i) + "]"
		i++
		p.text.left = maxRegistryText
		if p.d.Next() != jx.Object {
			return p.wrongType(row, "an object")
		}
		return p.peer(row)
	})
}

func (p *registryParser) peer(path string) error {
	name, named, enabled := "", false, true
	err := p.d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "name":
			if d.Next() != jx.String {
				return p.wrongType(path+".name", "a string")
			}
			named = true
			name, err = d.Str()
		case "enabled":
			enabled, err = p.flag(path + ".enabled")
		default:
			err = p.skip()
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case !named:
		return &wire.Error{Path: path + ".name", Err: errMissing}
	case enabled && isNodeNameInAnyCase(name):
		// No other name can be a recipient, or similar to one.
		p.names[name] = struct{}{}
	}
	if len(p.names) > maxRegistryNames {
		return errTooManyNames
	}
	return nil
}

// flag reads true, false, 1, 0, or null, which means true.
func (p *registryParser) flag(path string) (bool, error) {
	switch p.d.Next() {
	case jx.Bool:
		return p.d.Bool()
	case jx.Null:
		return true, p.d.Null()
	case jx.Number:
		n, err := p.d.Num()
		if err == nil && n.String() != "0" && n.String() != "1" {
			return false, &wire.Error{Path: path, Err: errors.New("the number must be 0 or 1")}
		}
		return n.String() == "1", err
	default:
		return false, p.wrongType(path, "a boolean")
	}
}

// wrongType returns an error for a value of the wrong type, or the syntax error if it is not a value.
func (p *registryParser) wrongType(path, want string) error {
	if got := p.d.Next(); got != jx.Invalid {
		return &wire.Error{Path: path, Err: errors.New("must be " + want + ", is " + got.String())}
	}
	if err := p.d.Skip(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// isNodeNameInAnyCase reports whether name has the syntax of a node name but for upper-case ASCII letters.
func isNodeNameInAnyCase(name string) bool {
	lower := strings.ToLower(name)
	return len(lower) == len(name) && nodeName.MatchString(lower)
}
