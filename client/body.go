package client

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// requestBody returns the body of a request as JSON, or nil without one, after the scan
// for credentials.
func (c *MeshClient) requestBody(req Request) ([]byte, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = encodeJSON("Body", req.Body); err != nil {
			return nil, err
		}
	}
	if !req.SkipSecretCheck {
		if err := c.scanRequest(req, body); err != nil {
			return nil, err
		}
	}
	if req.IdempotencyKey == "" {
		return body, nil
	}
	return withIdempotencyKey(body, req.IdempotencyKey)
}

// scanRequest scans the strings of a request. A segment of the path is scanned as the
// server reads it.
func (c *MeshClient) scanRequest(req Request, body []byte) error {
	texts := append(queryTexts(req.Query), req.IdempotencyKey)
	for _, segment := range strings.Split(req.Path, "/") {
		text, _ := url.PathUnescape(segment) // checkPath has seen the error
		texts = append(texts, text)
	}
	return c.redactor.scanAll(append(texts, jsonTexts(body)...), req.AllowRules)
}

// withIdempotencyKey adds the key to a body that is an object.
func withIdempotencyKey(body []byte, key string) ([]byte, error) {
	if body == nil {
		body = []byte("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return nil, invalid("Body", "must be a JSON object, which gets the IdempotencyKey")
	}
	if _, has := members["idempotency_key"]; has {
		return nil, invalid("IdempotencyKey", "must be empty, because Body has an idempotency_key")
	}
	return encodeMembers(json.RawMessage(body), map[string]any{"idempotency_key": key})
}

// encodeMembers returns an object with more members as JSON.
func encodeMembers(object any, members map[string]any) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil || len(members) == 0 {
		return text, err
	}
	more, err := json.Marshal(members)
	if err != nil || string(text) == "{}" {
		return more, err
	}
	return slices.Concat(text[:len(text)-1], []byte(","), more[1:]), nil
}

// encodeJSON returns value as JSON. The errors do not show it.
func encodeJSON(field string, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, invalid(field, "cannot be written as JSON")
	}
	if !isUTF8(value, text) {
		return nil, invalid(field, "must be valid UTF-8")
	}
	return text, nil
}

// jsonTexts returns the strings and keys of a JSON value.
func jsonTexts(value []byte) (texts []string) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil { // the end: value is valid
			return texts
		}
		if text, ok := token.(string); ok {
			texts = append(texts, text)
		}
	}
}

// scanAll scans each text for credentials.
func (r *redactor) scanAll(texts []string, allowed []int) error {
	for _, text := range texts {
		if err := r.scan(text, allowed); err != nil {
			return err
		}
	}
	return nil
}

func queryTexts(query url.Values) (texts []string) {
	for name, values := range query {
		texts = append(append(texts, name), values...)
	}
	return texts
}

func checkQueryTexts(field string, query url.Values) error {
	for _, text := range queryTexts(query) {
		if err := checkText(field, text); err != nil {
			return err
		}
	}
	return nil
}

func checkIdempotencyKey(key string) error {
	if utf8.RuneCountInString(key) > maxIdempotencyKey {
		return invalid("IdempotencyKey", "must have at most 128 characters")
	}
	return checkText("IdempotencyKey", key)
}

// The names that the fields of SendRequest, RegisterRequest and FetchOptions have on the
// wire. Extra takes any other name, also one that specs/gateway.yaml describes before its
// type has a field. The gateway reads to_node and from_node as other names of to and
// from.
var (
	sendNames     = []string{"from_node", "to_node", "kind", "content", "related_task_id", "thread_id", "idempotency_key"}
	registerNames = []string{"name", "url", "capabilities"}
	fetchNames    = []string{"to", "from", "kind", "thread_id", "unread_only", "since", "limit", "to_node", "from_node"}
)

// checkMembers validates the members that a caller adds to a request body that has
// others.
func (r *redactor) checkMembers(extra map[string]any, taken []string) error {
	if len(extra) == 0 {
		return nil
	}
	for name := range extra {
		if err := r.checkExtraName(name, taken); err != nil {
			return err
		}
	}
	_, err := encodeJSON("Extra", extra)
	return err
}

// scanMembers scans members that have been checked for credentials.
func (r *redactor) scanMembers(extra map[string]any, allowed []int) error {
	if len(extra) == 0 {
		return nil
	}
	text, err := encodeJSON("Extra", extra)
	if err != nil {
		return err
	}
	return r.scanAll(jsonTexts(text), allowed)
}

// checkExtraQuery validates the parameters that a caller adds to FetchOptions, and scans
// them for credentials.
func (r *redactor) checkExtraQuery(extra url.Values) error {
	for name := range extra {
		if err := r.checkExtraName(name, fetchNames); err != nil {
			return err
		}
	}
	if err := checkQueryTexts("Extra", extra); err != nil {
		return err
	}
	return r.scanAll(queryTexts(extra), nil)
}

func (r *redactor) checkExtraName(name string, taken []string) error {
	if name == "" {
		return invalid("Extra", "must not have an empty name")
	}
	if slices.Contains(taken, name) {
		return r.nameError("Extra", name, "must not have the name of a field")
	}
	return nil
}

// withParameters adds parameters to the query of a request.
func withParameters(extra url.Values) gateway.RequestEditorFn {
	return func(_ context.Context, req *http.Request) error {
		if len(extra) > 0 {
			query := req.URL.Query()
			for name, values := range extra {
				query[name] = values
			}
			req.URL.RawQuery = query.Encode()
		}
		return nil
	}
}

// replacement matches each form that U+FFFD has in JSON.
var replacement = regexp.MustCompile(`\x{fffd}|(?i:\\ufffd)`)

// isUTF8 reports whether value, which json.Marshal wrote as text, has valid strings only.
// json.Marshal replaces invalid bytes by U+FFFD, so only a text with one needs the slow
// look.
func isUTF8(value any, text []byte) bool {
	return utf8.Valid(text) && (!replacement.Match(text) || hasValidStrings(reflect.ValueOf(value)))
}

// hasValidStrings reports whether all strings that json.Marshal writes for v are valid
// UTF-8.
func hasValidStrings(v reflect.Value) bool {
	if text, ok := marshaled(v); ok {
		return utf8.Valid(text)
	}
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Interface, reflect.Pointer:
		return hasValidStrings(v.Elem())
	case reflect.Struct:
		return hasValidFields(v)
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			if !hasValidStrings(entry.Key()) || !hasValidStrings(entry.Value()) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !hasValidStrings(v.Index(i)) {
				return false
			}
		}
	default:
	}
	return true
}

func hasValidFields(v reflect.Value) bool {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if written := field.IsExported() || field.Anonymous; written && field.Tag.Get("json") != "-" && !hasValidStrings(v.Field(i)) {
			return false
		}
	}
	return true
}

// marshaled returns the text of a value that writes itself. Methods of a pointer count
// only if v is addressable, as for json.Marshal.
func marshaled(v reflect.Value) (text []byte, ok bool) {
	if !v.IsValid() {
		return nil, false
	}
	if v.CanAddr() && v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
		v = v.Addr()
	}
	if !v.CanInterface() || v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, false
	}
	switch m := v.Interface().(type) {
	case json.Marshaler:
		text, _ = m.MarshalJSON()
	case encoding.TextMarshaler:
		text, _ = m.MarshalText()
	default:
		return nil, false
	}
	return text, true
}
