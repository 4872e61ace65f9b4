// Package param is what generated code uses of github.com/oapi-codegen/runtime, with a check of path parameters.
package param

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/oapi-codegen/runtime"
)

// These names are those of the runtime.
type (
	// StyleParamOptions configures [StyleParamWithOptions].
	StyleParamOptions = runtime.StyleParamOptions
	// BindStyledParameterOptions configures [BindStyledParameterWithOptions].
	BindStyledParameterOptions = runtime.BindStyledParameterOptions
)

// The places of a parameter.
const (
	ParamLocationPath   = runtime.ParamLocationPath
	ParamLocationQuery  = runtime.ParamLocationQuery
	ParamLocationHeader = runtime.ParamLocationHeader
)

// StyleParamWithOptions returns a parameter as text for a URL or a header. A path parameter that is empty, "." or "..", or has a
// control character, is an error: a server would read another path. The error does not contain the value.
func StyleParamWithOptions(style string, explode bool, name string, value any, opts StyleParamOptions) (string, error) {
	if v := reflect.Indirect(reflect.ValueOf(value)); opts.ParamLocation == ParamLocationPath && v.Kind() == reflect.String {
		text := v.String()
		if text == "" || text == "." || text == ".." || strings.ContainsFunc(text, unicode.IsControl) {
			return "", fmt.Errorf("the path parameter %s must be a name or an id", name)
		}
	}
	return runtime.StyleParamWithOptions(style, explode, name, value, opts)
}

// BindStyledParameterWithOptions sets dest to the value of a parameter.
func BindStyledParameterWithOptions(style, name, value string, dest any, opts BindStyledParameterOptions) error {
	return runtime.BindStyledParameterWithOptions(style, name, value, dest, opts)
}

// JSONMerge returns the JSON object data with the members of patch.
func JSONMerge(data, patch []byte) ([]byte, error) { return runtime.JSONMerge(data, patch) }
