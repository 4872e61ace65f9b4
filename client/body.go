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

// scanRequest scans path segments unescaped, because that is how servers read them.
func (c *MeshClient) scanRequest(req Request, body []byte) error {
	texts := append(queryTexts(req.Query), req.IdempotencyKey)
	for _, segment := range strings.Split(req.Path, "/") {
		text, _ := url.PathUnescape(segment) // checkPath has seen the error
		texts = append(texts, text)
	}
	return c.redactor.scanAll(append(texts, jsonTexts(body)...), req.AllowRules)
}

func withIdempotencyKey(body []byte, key string) ([]byte, error) {
	if body == nil {
		body = []byte("{}")
	}
	var properties map[string]json.RawMessage
	if err := json.Unmarshal(body, &properties); err != nil || properties == nil {
		return nil, invalid("Body", "must be a JSON object, which gets the IdempotencyKey")
	}
	if _, has := properties["idempotency_key"]; has {
		return nil, invalid("IdempotencyKey", "must be empty, because Body has an idempotency_key")
	}
	return encodeProperties(json.RawMessage(body), map[string]any{"idempotency_key": key})
}

// encodeProperties encodes object, which must become a JSON object, and adds properties.
func encodeProperties(object any, properties map[string]any) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil || len(properties) == 0 {
		return text, err
	}
	more, err := json.Marshal(properties)
	if err != nil || string(text) == "{}" {
		return more, err
	}
	return slices.Concat(text[:len(text)-1], []byte(","), more[1:]), nil
}

// encodeJSON's errors don't show the value: it may be a secret.
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

// jsonTexts returns all strings in valid JSON, keys included.
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

// JSON names that Extra must not contain, because Go fields set them. The gateway reads
// to_node and from_node in a query as to and from.
var (
	sendNames     = []string{"from_node", "to_node", "kind", "content", "related_task_id", "thread_id", "idempotency_key"}
	registerNames = []string{"name", "url", "capabilities"}
	fetchNames    = []string{"to", "from", "kind", "thread_id", "unread_only", "since", "limit", "to_node", "from_node"}
)

func (r *redactor) checkProperties(extra map[string]any, taken []string) error {
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

// scanProperties scans properties that passed checkProperties.
func (r *redactor) scanProperties(extra map[string]any, allowed []int) error {
	if len(extra) == 0 {
		return nil
	}
	text, err := encodeJSON("Extra", extra)
	if err != nil {
		return err
	}
	return r.scanAll(jsonTexts(text), allowed)
}

// checkExtraQuery validates FetchOptions.Extra and scans it for credentials.
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
		return r.nameError("Extra", name, "must be set with its own field")
	}
	return nil
}

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

// replacement matches U+FFFD in JSON, escaped or not.
var replacement = regexp.MustCompile(`\x{fffd}|(?i:\\ufffd)`)

// isUTF8 reports whether value's strings are valid UTF-8, given its JSON text.
// json.Marshal replaces invalid bytes with U+FFFD, so the slow check is needed only if
// text contains one.
func isUTF8(value any, text []byte) bool {
	return utf8.Valid(text) && (!replacement.Match(text) || hasValidStrings(reflect.ValueOf(value)))
}

// hasValidStrings checks only strings that json.Marshal would write.
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

// marshaled returns v's text if v implements a Marshaler. Like json.Marshal, it uses
// pointer methods only if v is addressable.
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
