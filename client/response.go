package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// fromGateway reports whether a 2xx response with an invalid body can be the gateway's:
// the body starts like JSON, or none arrived. Something in between, such as a captive
// portal, answers with HTML.
func fromGateway(header http.Header, body []byte) bool {
	if body := bytes.TrimLeft(body, blanks); len(body) > 0 {
		return body[0] == '{' || body[0] == '['
	}
	return !isHTML(header)
}

// mayBeReceipt accepts an incomplete body.
func mayBeReceipt(body []byte) bool {
	if !json.Valid(body) {
		return true
	}
	var receipt struct{ ID json.Number }
	return json.Unmarshal(body, &receipt) == nil && receipt.ID != ""
}

// isPage reports whether a 2xx response is a web page, for example from a captive portal.
// A complete empty body is not a page: web frameworks label it text/html.
func isPage(header http.Header, body []byte) bool {
	return len(body) > 0 && (isHTML(header) || bytes.HasPrefix(bytes.TrimLeft(body, blanks+byteOrderMark), []byte("<")))
}

const byteOrderMark = "\ufeff"

// A stream has several JSON values; the first alone would be incomplete.
var errStream = errors.New("the response is a stream of JSON values, which is not supported")

func isStream(header http.Header) bool {
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return slices.Contains([]string{"application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-seq", "text/event-stream"}, mediaType)
}

var errPage = errors.New("the response is a web page (text/html)")

func isHTML(header http.Header) bool {
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return mediaType == "text/html"
}

// decode parses a 2xx body with unmarshal. For a generated type pass its UnmarshalJSON,
// because json.Unmarshal would scan the body a second time.
func (c *MeshClient) decode(op operation, resp call.Response, unmarshal func([]byte) error) error {
	if isStream(resp.Header) {
		return c.invalidBody(op, resp, errStream)
	}
	if err := unmarshal(resp.Body); err != nil {
		return c.invalidBody(op, resp, err)
	}
	return nil
}

func request[T any, P interface {
	*T
	json.Unmarshaler
}](ctx context.Context, c *MeshClient, op operation, send func(context.Context) (*http.Response, error)) (*T, error) {
	resp, err := c.do(ctx, op, send)
	if err != nil {
		return nil, err
	}
	into := P(new(T))
	if err := c.decode(op, resp, into.UnmarshalJSON); err != nil {
		return nil, err
	}
	return into, nil
}

// invalidBody returns an error for a 2xx response whose body is invalid because of err,
// or is not JSON at all.
func (c *MeshClient) invalidBody(op operation, resp call.Response, err error) error {
	e := c.newError(op, &call.Error{Status: resp.Status, Header: resp.Header, Body: resp.Body, Err: err}, nil)
	e.Body = call.Excerpt(resp.Body, invalidExcerpt, c.redactor.redact)
	switch {
	case errors.Is(err, errStream) || json.Valid(resp.Body):
	case blank(resp):
		e.Err = errors.New("the response has an empty body")
	default:
		e.Err = fmt.Errorf("not JSON: %q", e.Body)
	}
	return e
}

// blank reports whether a body has only JSON white space. For lists that means no rows.
func blank(resp call.Response) bool { return len(bytes.Trim(resp.Body, blanks)) == 0 }

// blanks is JSON's white space. Other white space, such as U+00A0, is invalid.
const blanks = " \t\r\n"
