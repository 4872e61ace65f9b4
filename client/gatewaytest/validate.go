package gatewaytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

// issue is one entry of the detail of a 422. It echoes the input.
type issue struct {
	Type  string `json:"type"`
	Loc   []any  `json:"loc"`
	Msg   string `json:"msg"`
	Input any    `json:"input"`
	Ctx   object `json:"ctx,omitempty"`
}

// bodyFields reads the fields of a JSON body and collects an issue for each that is invalid.
type bodyFields struct {
	body   object
	issues []issue
}

// readBody reads a JSON object with its numbers exact. The body has to be declared as JSON.
func readBody(r *http.Request) *bodyFields {
	text, _ := io.ReadAll(r.Body) // it is in memory
	if len(text) == 0 {
		return &bodyFields{issues: []issue{missingBody}}
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		return &bodyFields{issues: []issue{notAnObject(string(text))}}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	// Offset counts the bytes up to the error. With the blank, the end of an incomplete text differs from a wrong last character.
	if bad := (*json.SyntaxError)(nil); errors.As(json.Unmarshal(append(text, ' '), new(json.RawMessage)), &bad) {
		return &bodyFields{issues: []issue{notJSON(text, bad)}}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var body any
	_ = dec.Decode(&body) // it is valid
	switch body := body.(type) {
	case nil:
		return &bodyFields{issues: []issue{missingBody}}
	case object:
		return &bodyFields{body: body}
	default:
		return &bodyFields{issues: []issue{notAnObject(body)}}
	}
}

var missingBody = issue{Type: "missing", Loc: []any{"body"}, Msg: "Field required"}

// notJSON returns the issue of a text that is not JSON. The position of the error is in characters; of an incomplete text it is the
// end. The reason is that of encoding/json, while the gateway has that of Python.
func notJSON(text []byte, bad *json.SyntaxError) issue {
	return issue{
		Type: "json_invalid", Loc: []any{"body", utf8.RuneCount(text[:bad.Offset-1])}, Msg: "JSON decode error",
		Input: object{}, Ctx: object{"error": bad.Error()},
	}
}

func notAnObject(body any) issue {
	return issue{
		Type: "model_attributes_type", Loc: []any{"body"}, Input: body,
		Msg: "Input should be a valid dictionary or object to extract fields from",
	}
}

// isJSON reports whether the gateway parses a body of this type. A body without a type is not parsed.
func isJSON(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	family, subtype, _ := strings.Cut(strings.ToLower(strings.TrimSpace(mediaType)), "/")
	return family == "application" && (subtype == "json" || strings.HasSuffix(subtype, "+json"))
}

func (f *bodyFields) add(i issue, field string) {
	i.Loc = []any{"body", field}
	f.issues = append(f.issues, i)
}

// required returns a text of 1 to longest characters; longest 0 is without limits.
func (f *bodyFields) required(field string, longest int) string {
	if !f.given(field) {
		return ""
	}
	return f.text(field, longest)
}

// given requires a field of any type. Without a body the issue is the body.
func (f *bodyFields) given(field string) bool {
	_, given := f.body[field]
	if !given && f.body != nil {
		f.add(issue{Type: "missing", Msg: "Field required", Input: f.body}, field)
	}
	return given
}

// optional is required for a field that may be absent or null; the result is then nil.
func (f *bodyFields) optional(field string, longest int) *string {
	if f.body[field] == nil {
		return nil
	}
	text := f.text(field, longest)
	return &text
}

func (f *bodyFields) text(field string, longest int) string {
	value := f.body[field]
	text, ok := value.(string)
	i := issue{Input: value}
	switch n := utf8.RuneCountInString(text); {
	case !ok:
		i.Type, i.Msg = "string_type", "Input should be a valid string"
	case longest > 0 && n == 0:
		i.Type, i.Msg, i.Ctx = "string_too_short", "String should have at least 1 character", object{"min_length": 1}
	case longest > 0 && n > longest:
		i.Type, i.Msg = "string_too_long", fmt.Sprintf("String should have at most %d characters", longest)
		i.Ctx = object{"max_length": longest}
	default:
		return text
	}
	f.add(i, field)
	return ""
}

// object returns an object that may be absent, but not null.
func (f *bodyFields) object(field string) object {
	value, given := f.body[field]
	fields, isObject := value.(object)
	if given && !isObject {
		f.add(issue{Type: "dict_type", Msg: "Input should be a valid dictionary", Input: value}, field)
	}
	return fields
}

// list requires an array, unless the field is absent or null.
func (f *bodyFields) list(field string) {
	value := f.body[field]
	if _, ok := value.([]any); value != nil && !ok {
		f.add(issue{Type: "list_type", Msg: "Input should be a valid list", Input: value}, field)
	}
}

// integer returns a whole number of any size in canonical form, or "" for none. It takes the number or the text of one.
func (f *bodyFields) integer(field string) json.Number {
	i := issue{Input: f.body[field]}
	switch value := f.body[field].(type) {
	case nil:
		return ""
	case string:
		n, bad := parseInteger(value)
		if bad == nil {
			return json.Number(n.String())
		}
		i = *bad
	case json.Number:
		if n, _ := parseInteger(value.String()); n != nil {
			return json.Number(n.String())
		}
		if x, err := value.Float64(); err == nil && x == math.Trunc(x) {
			n, _ := big.NewFloat(x).Int(nil)
			return json.Number(n.String())
		}
		i.Type, i.Msg = "int_from_float", "Input should be a valid integer, got a number with a fractional part"
	default:
		i.Type, i.Msg = "int_type", "Input should be a valid integer"
	}
	f.add(i, field)
	return ""
}

var integerPattern = regexp.MustCompile(`^\s*([+-]?[0-9]+)(?:\.0+)?\s*$`)

func parseInteger(text string) (*big.Int, *issue) {
	if digits := integerPattern.FindStringSubmatch(text); digits != nil {
		if n, ok := new(big.Int).SetString(digits[1], 10); ok {
			return n, nil
		}
	}
	return nil, &issue{
		Type: "int_parsing", Input: text,
		Msg: "Input should be a valid integer, unable to parse string as an integer",
	}
}
