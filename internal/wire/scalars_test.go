package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// read decodes a document that is one value, with a function that the types of the gateway do not use.
func read[T any](text string, reader func(*T, *wire.Decoder) error) (T, error) {
	var v T
	err := wire.Unmarshal([]byte(text), &v, reader)
	return v, err
}

func TestNumberKeepsItsDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]json.Number{
		`0.10`: "0.10", `"0.10"`: "0.10", `1e-7`: "1e-7", `"1E5"`: "1E5", `0E-6176`: "0E-6176", `"-0"`: "-0",
		`"12345678901234567890.123456789"`: "12345678901234567890.123456789",
		` 7 `:                              "7",
	} {
		got, err := read(text, wire.Number)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
		_, err = json.Marshal(got)
		require.NoError(t, err, "what was read can be written")
	}
}

func TestNumberRejectsOtherText(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		`""`:        "text is not a number",
		`"n/a"`:     "text is not a number",
		`"1,5"`:     "text is not a number",
		`"+1"`:      "text is not a number",
		`"0x1"`:     "text is not a number",
		`"NaN"`:     "text is not a number",
		`"1 2"`:     "text is not a number",
		`"null"`:    "text is not a number",
		`"[1]"`:     "text is not a number",
		`"-"`:       "text is not a number",
		`" 1"`:      "text is not a number", // a json.Number with white space cannot be encoded
		`"1 "`:      "text is not a number",
		`"1\n"`:     "text is not a number",
		`true`:      "got bool, want string",
		`null`:      "null where a value is required",
		`{"a":"1"}`: "got object, want string",
	} {
		_, err := read(text, wire.Number)
		assert.Equal(t, reason, refused(t, "", err), text)
	}
}

func TestFloat64(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{`1`: 1, `-0.5`: -0.5, `1e3`: 1000, `0E-6176`: 0, `1.7976931348623157e308`: 1.7976931348623157e308} {
		got, err := read(text, wire.Float[float64])
		require.NoError(t, err, text)
		assert.InDelta(t, want, got, 0, text)
	}
	for text, reason := range map[string]string{
		`1e400`: "number is out of range", `"1"`: "got string, want number", `null`: "null where a value is required",
	} {
		_, err := read(text, wire.Float[float64])
		assert.Equal(t, reason, refused(t, "", err), text)
	}
}

// Only Flag accepts numbers.
func TestBoolIsStrict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`true`: true, `false`: false} {
		got, err := read(text, wire.Bool[bool])
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{`1`, `0`, `"true"`, `null`, `True`, `tru`, `falsy`} {
		_, err := read(text, wire.Bool[bool])
		assert.Error(t, err, text)
	}
}

func TestRawKeepsAnyValueAndNull(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `{"a" : [1.0, "\u0041"]}`, `1e5`, `""`} {
		got, err := read(text, wire.Raw[json.RawMessage])
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
	for _, text := range []string{``, `{`, `[1,]`, `nul`, `{a:1}`, `'a'`} {
		_, err := read(text, wire.Raw[json.RawMessage])
		assert.Error(t, err, text)
	}
}

func TestJSONReadsAnyGoType(t *testing.T) {
	t.Parallel()
	got, err := read(`{"a":[1,2]}`, wire.JSON[map[string][]int])
	require.NoError(t, err)
	assert.Equal(t, map[string][]int{"a": {1, 2}}, got)

	for text, want := range map[string]string{
		`{"a":"x"}`: "*: got string, want array", `{"a":[1,"x"]}`: "*[1]: value has the wrong type",
		`null`: "null where a value is required", `{"a"`: "unexpected EOF",
	} {
		_, err := read(text, wire.JSON[map[string][]int])
		assert.EqualError(t, err, want, text)
	}
}

func TestErrorInAnArrayNamesTheElement(t *testing.T) {
	t.Parallel()
	got, err := read(`[[1,2],[],[3]]`, wire.ArrayOf(wire.ArrayOf(wire.Integer[int64])))
	require.NoError(t, err)
	assert.Equal(t, [][]int64{{1, 2}, {}, {3}}, got)

	_, err = read(`[[1,2],[3,"4"]]`, wire.ArrayOf(wire.ArrayOf(wire.Integer[int64])))
	assert.EqualError(t, err, "[1][1]: got string, want number")
}

func TestFieldSetHolds64Fields(t *testing.T) {
	t.Parallel()
	required := make([]string, 64)
	for i := range required {
		required[i] = fmt.Sprintf("field%d", i)
	}
	var seen wire.Fields
	for i := range 63 {
		seen.Add(i)
	}
	require.EqualError(t, seen.Check(nil, required...), "field63: required field is missing")
	seen.Add(63)
	require.NoError(t, seen.Check(nil, required...))
	require.ErrorIs(t, seen.Check(assert.AnError), assert.AnError, "an earlier error is returned first")
}
