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
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// issue is one entry in a 422's detail. It echoes the input.
type issue struct {
	Type  string `json:"type"`
	Loc   []any  `json:"loc"`
	Msg   string `json:"msg"`
	Input any    `json:"input"`
	Ctx   object `json:"ctx,omitempty"`
}

// fields reads request fields and collects an issue for each invalid one.
type fields struct {
	place  string // "body", "query" or "path"
	values object // nil without a body
	issues []issue
}

// add sets the issue's input to the field's value, unless it is already set.
func (f *fields) add(field string, i issue) {
	i.Loc = []any{f.place, field}
	if i.Input == nil {
		i.Input = f.values[field]
	}
	f.issues = append(f.issues, i)
}

// readBody reads a JSON object and keeps its numbers exact. The Content-Type must be JSON
// or missing.
func readBody(r *http.Request) *fields {
	text, _ := io.ReadAll(r.Body) // it is in memory
	if len(text) == 0 {
		return &fields{issues: []issue{missingBody}}
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		return &fields{issues: []issue{notAnObject(string(text))}}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	// Offset counts the bytes up to the error. The space added here tells an incomplete text
	// from a wrong last character.
	if bad := (*json.SyntaxError)(nil); errors.As(json.Unmarshal(append(text, ' '), new(json.RawMessage)), &bad) {
		return &fields{issues: []issue{notJSON(text, bad)}}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var body any
	_ = dec.Decode(&body) // it is valid
	switch body := body.(type) {
	case nil:
		return &fields{issues: []issue{missingBody}}
	case object:
		return &fields{place: "body", values: body}
	default:
		return &fields{issues: []issue{notAnObject(body)}}
	}
}

var missingBody = issue{Type: "missing", Loc: []any{"body"}, Msg: "Field required"}

// notJSON's position is in characters; if the text is incomplete, it is the end. The
// reason comes from encoding/json, while the real gateway has Python's.
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

// isJSON reports whether the gateway parses a body with this type. Before FastAPI 0.132.0
// a missing type means JSON.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	mediaType, _, _ := strings.Cut(contentType, ";")
	family, subtype, _ := strings.Cut(strings.ToLower(strings.TrimSpace(mediaType)), "/")
	return family == "application" && (subtype == "json" || strings.HasSuffix(subtype, "+json"))
}

// required returns a string, 1 to longest characters long. If longest is 0, any length is
// valid.
func (f *fields) required(field string, longest int) string {
	if !f.given(field) {
		return ""
	}
	return f.text(field, longest)
}

// given requires a field with any type. If there is no body, that is already an issue.
func (f *fields) given(field string) bool {
	_, given := f.values[field]
	if !given && f.values != nil {
		f.add(field, issue{Type: "missing", Msg: "Field required", Input: f.values})
	}
	return given
}

// optional is required, but returns nil if the field is absent or null.
func (f *fields) optional(field string, longest int) *string {
	if f.values[field] == nil {
		return nil
	}
	text := f.text(field, longest)
	return &text
}

func (f *fields) text(field string, longest int) string {
	text, ok := f.values[field].(string)
	switch n := utf8.RuneCountInString(text); {
	case !ok:
		f.add(field, issue{Type: "string_type", Msg: "Input should be a valid string"})
	case longest > 0 && n == 0:
		f.add(field, issue{Type: "string_too_short", Msg: "String should have at least 1 character", Ctx: object{"min_length": 1}})
	case longest > 0 && n > longest:
		message := fmt.Sprintf("String should have at most %d characters", longest)
		f.add(field, issue{Type: "string_too_long", Msg: message, Ctx: object{"max_length": longest}})
	}
	return text
}

// object returns an object that may be absent, but not null.
func (f *fields) object(field string) object {
	value, given := f.values[field]
	inner, isObject := value.(object)
	if given && !isObject {
		f.add(field, issue{Type: "dict_type", Msg: "Input should be a valid dictionary"})
	}
	return inner
}

// list requires an array, unless the field is absent or null.
func (f *fields) list(field string) {
	value := f.values[field]
	if _, ok := value.([]any); value != nil && !ok {
		f.add(field, issue{Type: "list_type", Msg: "Input should be a valid list"})
	}
}

// integer returns a whole number, however large, or nil if the field is absent or
// invalid. The field may be a number or a string.
func (f *fields) integer(field string) *big.Int {
	switch value := f.values[field].(type) {
	case nil:
	case string:
		if n := parseInteger(value); n != nil {
			return n
		}
		f.add(field, issue{Type: "int_parsing", Msg: "Input should be a valid integer, unable to parse string as an integer"})
	case json.Number:
		if n := parseInteger(value.String()); n != nil {
			return n
		}
		if x, err := value.Float64(); err == nil && x == math.Trunc(x) {
			n, _ := big.NewFloat(x).Int(nil)
			return n
		}
		f.add(field, issue{Type: "int_from_float", Msg: "Input should be a valid integer, got a number with a fractional part"})
	default:
		f.add(field, issue{Type: "int_type", Msg: "Input should be a valid integer"})
	}
	return nil
}

var integerPattern = regexp.MustCompile(`^\s*([+-]?[0-9]+)(?:\.0+)?\s*$`)

// parseInteger returns nil if text is not a whole number.
func parseInteger(text string) *big.Int {
	digits := integerPattern.FindStringSubmatch(text)
	if digits == nil {
		return nil
	}
	n, _ := new(big.Int).SetString(digits[1], 10)
	return n
}

func queryFields(query url.Values) *fields {
	values := object{}
	for name := range query {
		values[name] = query.Get(name)
	}
	return &fields{place: "query", values: values}
}

func (f *fields) limit(standard, highest int64) int64 {
	n := f.integer("limit")
	switch {
	case n == nil:
		return standard
	case n.Sign() <= 0:
		f.add("limit", issue{Type: "greater_than_equal", Msg: "Input should be greater than or equal to 1", Ctx: object{"ge": 1}})
	case n.Cmp(big.NewInt(highest)) > 0:
		message := fmt.Sprintf("Input should be less than or equal to %d", highest)
		f.add("limit", issue{Type: "less_than_equal", Msg: message, Ctx: object{"le": highest}})
	}
	return n.Int64()
}

func (f *fields) boolean(field string, standard bool) bool {
	text, given := f.values[field].(string)
	text = strings.ToLower(text)
	switch {
	case !given:
		return standard
	case slices.Contains([]string{"1", "true", "yes", "on", "t", "y"}, text):
		return true
	case !slices.Contains([]string{"0", "false", "no", "off", "f", "n"}, text):
		f.add(field, issue{Type: "bool_parsing", Msg: "Input should be a valid boolean, unable to interpret input"})
	}
	return false
}

// equal reports whether a row's value is the parameter's. An empty parameter fits every
// value.
func equal(query url.Values, field string, value *string) bool {
	wanted := query.Get(field)
	return wanted == "" || value != nil && *value == wanted
}

// contains reports whether text contains the parameter, as SQL's LIKE compares it: % is
// any text, _ is any character, and ASCII case is ignored. An empty parameter fits every
// text.
func contains(query url.Values, field, text string) bool {
	pattern := regexp.QuoteMeta(lower(query.Get(field)))
	return regexp.MustCompile("(?s)" + strings.NewReplacer("%", ".*", "_", ".").Replace(pattern)).MatchString(lower(text))
}

// lower lowers ASCII letters only, and replaces invalid UTF-8.
func lower(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, text)
}
