// Package param is what generated code uses of github.com/oapi-codegen/runtime, with a check of values that a URL, a cookie or a form
// would change.
package param

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"unicode"

	"github.com/oapi-codegen/runtime"
)

// StyleParamOptions configures [StyleParamWithOptions].
type StyleParamOptions = runtime.StyleParamOptions

// The places of a parameter.
const (
	ParamLocationPath   = runtime.ParamLocationPath
	ParamLocationQuery  = runtime.ParamLocationQuery
	ParamLocationHeader = runtime.ParamLocationHeader
	ParamLocationCookie = runtime.ParamLocationCookie
)

// StyleParamWithOptions returns a parameter as text for a URL, a header or a cookie. A path parameter that is empty, "." or "..", or has a
// control character, is an error: a server would read another path. So is a cookie with a character that net/http would drop. The
// error does not contain the value.
func StyleParamWithOptions(style string, explode bool, name string, value any, opts StyleParamOptions) (string, error) {
	if v := reflect.Indirect(reflect.ValueOf(value)); opts.ParamLocation == ParamLocationPath && v.Kind() == reflect.String {
		text := v.String()
		if text == "" || text == "." || text == ".." || strings.ContainsFunc(text, unicode.IsControl) {
			return "", fmt.Errorf("the path parameter %s must be a name or an id", name)
		}
	}
	if opts.ParamLocation == ParamLocationQuery && style != "deepObject" {
		value = escapeKeys(value)
	}
	text, err := runtime.StyleParamWithOptions(style, explode, name, value, opts)
	if cookie := (http.Cookie{Name: name, Value: text}); err == nil && opts.ParamLocation == ParamLocationCookie && cookie.Valid() != nil { //nolint:gosec // only its validity is of interest
		return "", fmt.Errorf("the cookie %s has a character that a cookie cannot contain", name)
	}
	return text, err
}

// escapeKeys escapes the member names of an object. The runtime escapes only its values.
func escapeKeys(value any) any {
	text, err := json.Marshal(value)
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err != nil || decoder.Decode(&object) != nil {
		return value
	}
	changed := false
	for name, member := range maps.Clone(object) {
		if escaped := url.QueryEscape(name); escaped != name {
			delete(object, name)
			object[escaped] = member
			changed = true
		}
	}
	if !changed {
		return value
	}
	return object
}

// MarshalForm returns the fields of a body as form fields with the text that they have in JSON, a list as a field for each element. An
// object, null, or a list in a list, has no form and is an error.
func MarshalForm(body, _ any) (url.Values, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	form := url.Values{}
	for name, value := range fields {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, v := range list {
			switch v.(type) {
			case nil, map[string]any, []any:
				return nil, fmt.Errorf("the form field %s must be a text, a number, a boolean or a list of them", name)
			}
			form.Add(name, fmt.Sprint(v))
		}
	}
	return form, nil
}

// JSONMerge returns the JSON object data with the members of patch.
func JSONMerge(data, patch []byte) ([]byte, error) { return runtime.JSONMerge(data, patch) }
