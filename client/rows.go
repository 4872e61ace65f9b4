package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/jsonlist"
)

// RowError reports an invalid row in a list, such as a message without a recipient. A
// list returns its other rows and the joined RowErrors; errors.As finds the first.
//
// If no row is valid, the list is nil and the error is a [*MeshGatewayError] that wraps
// the RowErrors. If a list is incomplete, one RowError matches [ErrIncomplete]. Send
// returns a RowError if the recipient's row in the peer list is invalid.
type RowError struct {
	// ID is a message id, or 0 if it is unknown or the row is not a message.
	ID int64
	// Name is a peer's name or a thread's id, redacted if it does not look like one. It is
	// "" if it is unknown or the row is a message.
	Name string
	// Err names the field and the reason. It contains no value from the row.
	Err error
}

func (e *RowError) Error() string {
	switch {
	case errors.Is(e.Err, ErrIncomplete):
		return "mesh: " + e.Err.Error()
	case e.ID != 0:
		return fmt.Sprintf("mesh: message %d cannot be decoded: %v", e.ID, e.Err)
	case e.Name != "":
		return fmt.Sprintf("mesh: the row for %s cannot be decoded: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("mesh: a row without a valid id or name cannot be decoded: %v", e.Err)
}

// Is makes the error match [ErrMesh].
func (e *RowError) Is(target error) bool { return target == ErrMesh }

// Unwrap returns Err.
func (e *RowError) Unwrap() error { return e.Err }

func rowErrors(err error) []*RowError { return seam.Parts[*RowError](err) }

// withoutRowErrors returns nil if err contains a RowError, else err.
func withoutRowErrors(err error) error { return seam.Without[*RowError](err) }

type rowKind struct {
	list   string // the array field, if the list is an object
	name   string // the field that names a row; "" for messages, which have an id
	decode func([]byte) error
}

var (
	messageRows = rowKind{"messages", "", func(row []byte) error { return new(gateway.MeshMessage).UnmarshalJSON(row) }}
	peerRows    = rowKind{"peers", "name", func(row []byte) error { return new(gateway.MeshPeer).UnmarshalJSON(row) }}
	threadRows  = rowKind{"threads", "thread_uuid", func(row []byte) error { return new(gateway.Thread).UnmarshalJSON(row) }}
)

// requestList sends a request and decodes the response into a generated type with a list.
// If only some rows are invalid, the list has the others, and the error is the joined
// RowErrors. We decode rows one by one only if the whole body fails.
func requestList[L any, P interface {
	*L
	json.Unmarshaler
}](ctx context.Context, c *MeshClient, op operation, rows rowKind, send func(context.Context) (*http.Response, error)) (list L, header http.Header, err error) {
	resp, err := c.do(ctx, op, send)
	if err != nil {
		return list, nil, err
	}
	if blank(resp) && !op.needsBody {
		resp.Body = []byte(`{"` + rows.list + `":[]}`)
	}
	err = c.decode(op, resp, P(&list).UnmarshalJSON)
	if err == nil || errors.Is(err, errStream) {
		return list, resp.Header, err
	}
	good, bad := c.separate(resp.Body, rows)
	// Decode the others together: the limit on elements applies to a whole document.
	if good != nil && P(&list).UnmarshalJSON(good) == nil {
		return list, resp.Header, errors.Join(bad...)
	}
	var none L
	if good != nil || bad == nil {
		return none, nil, err
	}
	return none, nil, &MeshGatewayError{
		Method: op.method, Path: op.path, StatusCode: resp.Status, RequestID: c.redactor.requestID(resp.Header), Err: errors.Join(bad...),
	}
}

// separate splits off the invalid rows. It returns body with the valid rows only, or nil
// if no row is left, and one error per invalid row. Both results are nil if body is not a
// list with JSON values, or if all rows are valid.
func (c *MeshClient) separate(body []byte, rows rowKind) (good []byte, bad []error) {
	valid := true
	f := &jsonlist.Filter{Body: bytes.NewReader(body), List: rows.list}
	f.Keep = func(row []byte) bool {
		err := rows.decode(row)
		if err != nil {
			valid = valid && (json.Valid(row) || f.TooDeep()) // a value that a decoder refuses must not hide the others
			bad = append(bad, c.rowError(rows, row, err))
		}
		return err == nil
	}
	good, _ = io.ReadAll(f)
	switch {
	case !valid:
		return nil, nil
	case f.Kept == 0 || bad == nil:
		return nil, bad
	}
	return good, bad
}

// rowError identifies the row in its error only if the fields are readable.
func (c *MeshClient) rowError(rows rowKind, text []byte, err error) error {
	e := &RowError{Err: err}
	var fields map[string]json.RawMessage
	var name string
	switch {
	case json.Unmarshal(text, &fields) != nil:
	case rows.name == "":
		_ = json.Unmarshal(fields["id"], &e.ID) // stays 0
	case json.Unmarshal(fields[rows.name], &name) == nil && name != "":
		e.Name = c.redactor.show(name)
	}
	return e
}

// ErrIncomplete is returned, wrapped in a [*RowError] without ID and Name, if the gateway
// has more rows than it returned. The response says so with a next_cursor, or a Link
// header with rel="next"; today's gateways send neither. The rows that arrived are
// returned as well. A list that reaches the caller's Limit counts as complete.
var ErrIncomplete = errors.New("the list is incomplete: the gateway has more rows than this response")

var nextLink = regexp.MustCompile(`(?i);\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next\s*($|[;,]))`)

// withIncomplete adds ErrIncomplete to err if the gateway has more rows and limit is not
// reached. extra has the list's unknown fields.
func withIncomplete(err error, header http.Header, extra map[string]json.RawMessage, rows int, limit *int64) error {
	if withoutRowErrors(err) != nil || limit != nil && int64(rows+len(rowErrors(err))) >= *limit || !hasMore(header, extra) {
		return err
	}
	return errors.Join(err, &RowError{Err: ErrIncomplete})
}

func hasMore(header http.Header, extra map[string]json.RawMessage) bool {
	switch string(extra["next_cursor"]) {
	case "", "null", `""`, "false":
		return nextLink.MatchString(strings.Join(header.Values("Link"), ", "))
	}
	return true
}
