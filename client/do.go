package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Request is a request for [MeshClient.Do]. Method and Path are required.
type Request struct {
	// Method is an HTTP method in upper case, such as "POST".
	Method string
	// Path is relative to the gateway's URL and starts with one slash, as in
	// "/tasks/7/complete". Escape names in it with url.PathEscape. If it contains a segment
	// that is empty, "." or "..", or a "?" or "#", Do returns a [*ValueError].
	Path string
	// Query holds the URL parameters.
	Query url.Values
	// Body is encoded by json.Marshal; nil sends no body. It must be nil for GET and HEAD.
	Body any
	// AllowRules lists scan rules to ignore, by number, as in [SendRequest].
	AllowRules []int
	// SkipSecretCheck turns off the credential scan, as in [SendRequest].
	SkipSecretCheck bool
	// IdempotencyKey, at most 128 characters, is sent as Body's property idempotency_key:
	// Body must be nil or a JSON object that doesn't have this property. [WithRetry] then
	// repeats the request. Set it only if the operation recognizes the key, as POST
	// /messages does, or if carrying it out twice does no harm.
	IdempotencyKey string
}

// Do sends a request to any gateway path. Use it for operations without their own method.
// It applies the client's token, timeout and limits, returns the usual errors, and
// decodes the response into out with json.Unmarshal. If out is nil, the body is
// discarded; a *json.RawMessage gets it unchanged.
//
// Strings and keys in Body, the path and the query are scanned for credentials as in
// [MeshClient.Send]; a finding is a [*MeshSecretLeakError], and nothing is sent.
// Recipients in Body are not looked up.
//
// [WithRetry] repeats a GET or HEAD, and any other request only if it has an
// IdempotencyKey. For requests other than GET and HEAD, an error has Delivered set if the
// gateway accepted the request but its response is invalid, and Uncertain set if the
// gateway may have accepted it.
func (c *MeshClient) Do(ctx context.Context, req Request, out any) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	if kind := reflect.ValueOf(out); out != nil && (kind.Kind() != reflect.Pointer || kind.IsNil()) {
		return invalid("out", "must be nil or a pointer that is not nil")
	}
	if err := req.check(); err != nil {
		return err
	}
	body, err := c.requestBody(req)
	if err != nil {
		return err
	}
	op := req.operation(c.redactor.redact(req.Path), out == nil)
	resp, err := c.do(ctx, op, func(ctx context.Context) (*http.Response, error) { return c.sendRequest(ctx, req, body) })
	if err != nil || out == nil {
		return err
	}
	if raw, ok := out.(*json.RawMessage); ok {
		*raw = resp.Body
		return nil
	}
	return c.decode(op, resp, func(body []byte) error { return json.Unmarshal(body, out) })
}

// reads reports whether the request changes nothing.
func (req Request) reads() bool { return req.Method == http.MethodGet || req.Method == http.MethodHead }

// operation takes a path that is already redacted for errors.
func (req Request) operation(path string, discards bool) operation {
	return operation{
		method: req.Method, path: path, repeatable: req.reads() || req.IdempotencyKey != "", delivers: !req.reads(),
		ignoresBody: discards, noPages: true, absence: true,
	}
}

func (c *MeshClient) sendRequest(ctx context.Context, req Request, body []byte) (*http.Response, error) {
	var reader io.Reader = http.NoBody
	if body != nil {
		reader = bytes.NewReader(body)
	}
	target := strings.TrimSuffix(c.api.Server, "/") + escapePath(req.Path)
	if len(req.Query) > 0 {
		target += "?" + req.Query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, req.Method, target, reader)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, edit := range c.api.RequestEditors {
		if err := edit(ctx, r); err != nil {
			return nil, err
		}
	}
	return c.http.Do(r)
}

// escapePath escapes unescaped characters, such as spaces, segment by segment: net/http
// would decode the whole path first, including an escaped slash.
func escapePath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		text, _ := url.PathUnescape(segment) // checkPath has seen the error
		segments[i] = url.PathEscape(text)
	}
	return strings.Join(segments, "/")
}

var upperCase = regexp.MustCompile(`^[A-Z]+$`)

// check validates everything but Body.
func (req Request) check() error {
	switch {
	case !upperCase.MatchString(req.Method) || req.Method == http.MethodConnect:
		return invalid("Method", "must be an HTTP method in upper case, such as GET")
	case req.reads() && req.Body != nil:
		return invalid("Body", "must be nil for "+req.Method)
	case req.reads() && req.IdempotencyKey != "":
		return invalid("IdempotencyKey", "must be empty for "+req.Method)
	}
	return cmp.Or(
		checkPath(req.Path), checkIdempotencyKey(req.IdempotencyKey), checkQueryTexts("Query", req.Query), checkAllowRules(req.AllowRules))
}

// checkPath rejects a path that a server or proxy might route differently. Its errors do
// not show the path, because it may contain a token.
func checkPath(path string) error {
	reason := ""
	switch rest, ok := strings.CutPrefix(path, "/"); {
	case !ok:
		reason = "must start with a slash"
	case strings.ContainsAny(path, "?#"):
		reason = "must not contain ? or #; use Query for parameters"
	default:
		text, err := url.PathUnescape(rest) // some servers and proxies split a path after they decode it
		parts := strings.Split(strings.ReplaceAll(text, `\`, "/"), "/")
		if err != nil || slices.ContainsFunc(parts, func(part string) bool { return checkPathSegment("Path", part) != nil }) {
			reason = "must not have empty, unescaped, . or .. segments"
		}
	}
	if reason == "" {
		return nil
	}
	return invalid("Path", reason)
}
