package discovery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// A value of the wrong type anywhere in a response is a failure, never a zero.
func TestWrongTypeInABillIsAFailure(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		var answer any
		require.NoError(t, json.Unmarshal([]byte(b.good), &answer))
		fine := newFakeServer(map[string]http.HandlerFunc{b.service: respond(b.good)})
		empty, err := b.call(t.Context(), fine.inProcess(), 0)
		require.NoError(t, err)
		require.False(t, empty, operation)
		variants := make(map[string]string)
		withWrongType("", answer, func() string { return asJSON(t, answer) }, func(v any) { answer = v }, variants)
		require.Greater(t, len(variants), 20)
		for place, body := range variants {
			s := newFakeServer(map[string]http.HandlerFunc{b.service: respond(body)})
			empty, err := b.call(t.Context(), s.inProcess(), 0)
			require.NoError(t, err)
			assert.True(t, empty, "%s: %s", operation, place)
			if assert.Len(t, s.failures, 1, "%s: %s", operation, place) {
				assert.Contains(t, []discovery.Reason{discovery.ReasonDecode, discovery.ReasonPartial}, s.failures[0].Reason, place)
			}
		}
	}
}

// withWrongType collects copies of the document in which one value is replaced with a value of another type.
func withWrongType(place string, v any, whole func() string, set func(any), into map[string]string) {
	for _, wrong := range []any{7.0, "text", true, []any{7.0}, map[string]any{"x": 7.0}} {
		_, isNumber := wrong.(float64)
		text, _ := v.(string)
		if amount := number.MatchString(text); amount && isNumber || !amount && reflect.TypeOf(wrong) == reflect.TypeOf(v) {
			continue
		}
		set(wrong)
		into[fmt.Sprintf("%s as %v", place, wrong)] = whole()
	}
	set(v)
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			withWrongType(place+"."+name, inner, whole, func(x any) { v[name] = x }, into)
		}
	case []any:
		for i, inner := range v {
			withWrongType(fmt.Sprintf("%s[%d]", place, i), inner, whole, func(x any) { v[i] = x }, into)
		}
	}
}
