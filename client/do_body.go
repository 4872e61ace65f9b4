package client

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// requestBody returns the body of a request as JSON, or nil without one, after the scan for credentials.
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

// scanRequest scans the strings of a request. A segment of the path is scanned as the server reads it.
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
