// Package param provides the functions that generated code uses from
// github.com/oapi-codegen/runtime. It also rejects values that a URL, a cookie or a form
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

// Parameter locations.
const (
	ParamLocationPath   = runtime.ParamLocationPath
	ParamLocationQuery  = runtime.ParamLocationQuery
	ParamLocationHeader = runtime.ParamLocationHeader
	ParamLocationCookie = runtime.ParamLocationCookie
)

// StyleParamWithOptions formats a parameter for a URL, a header or a cookie. Its errors
// don't quote the value.
//
// It rejects path parameters that would select another path (empty, ".", ".." or with
// control characters), and cookies with characters that net/http would drop.
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

// escapeKeys escapes an object's member names. The runtime escapes only its values.
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

// MarshalForm turns body's JSON fields into form fields, with one form field per list
// element. Objects, nulls and nested lists are errors.
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

// JSONMerge returns the JSON object data with patch's members.
func JSONMerge(data, patch []byte) ([]byte, error) { return runtime.JSONMerge(data, patch) }
