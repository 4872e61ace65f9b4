package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

func TestNumberKeepsItsDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]json.Number{
		`0.10`: "0.10", `"0.10"`: "0.10", `1e-7`: "1e-7", `"1E5"`: "1E5", `0E-6176`: "0E-6176", `"-0"`: "-0",
		`"12345678901234567890.123456789"`: "12345678901234567890.123456789",
		` 7 `:                              "7",
	} {
		got, err := wire.Decode[json.Number](text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
		_, err = json.Marshal(got)
		require.NoError(t, err, "a decoded number must be encodable")
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
		`" 1"`:      "text is not a number", // a json.Number with white space can't be encoded
		`"1 "`:      "text is not a number",
		`"1\n"`:     "text is not a number",
		`true`:      "got bool, want string",
		`null`:      "null where a value is required",
		`{"a":"1"}`: "got object, want string",
	} {
		_, err := wire.Decode[json.Number](text)
		assert.Equal(t, reason, refused(t, "", err), text)
	}
}

func TestFloat64(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{`1`: 1, `-0.5`: -0.5, `1e3`: 1000, `0E-6176`: 0, `1.7976931348623157e308`: 1.7976931348623157e308} {
		got, err := wire.Decode[float64](text)
		require.NoError(t, err, text)
		assert.InDelta(t, want, got, 0, text)
	}
	for text, reason := range map[string]string{
		`1e400`: "value has the wrong type", `"1"`: "value has the wrong type", `null`: "null where a value is required",
	} {
		_, err := wire.Decode[float64](text)
		assert.Equal(t, reason, refused(t, "", err), text)
	}
}

// Only lenient fields accept numbers.
func TestBoolIsStrict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`true`: true, `false`: false} {
		got, err := wire.Decode[bool](text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{`1`, `0`, `"true"`, `null`, `True`, `tru`, `falsy`} {
		_, err := wire.Decode[bool](text)
		assert.Error(t, err, text)
	}
}

func TestRawKeepsAnyValueAndNull(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `{"a" : [1.0, "\u0041"]}`, `1e5`, `""`} {
		got, err := wire.Decode[json.RawMessage](text)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
	for _, text := range []string{``, `{`, `[1,]`, `nul`, `{a:1}`, `'a'`} {
		_, err := wire.Decode[json.RawMessage](text)
		assert.Error(t, err, text)
	}
}

func TestJSONReadsAnyGoType(t *testing.T) {
	t.Parallel()
	got, err := wire.Decode[map[string][]int](`{"a":[1,2]}`)
	require.NoError(t, err)
	assert.Equal(t, map[string][]int{"a": {1, 2}}, got)

	for text, want := range map[string]string{
		`{"a":"x"}`: "*: got string, want array", `{"a":[1,"x"]}`: "*[1]: got string, want number",
		`null`: "null where a value is required", `{"a"`: "unexpected EOF",
	} {
		_, err := wire.Decode[map[string][]int](text)
		assert.EqualError(t, err, want, text)
	}
}

func TestErrorInAnArrayNamesTheElement(t *testing.T) {
	t.Parallel()
	got, err := wire.Decode[[][]int64](`[[1,2],[],[3]]`)
	require.NoError(t, err)
	assert.Equal(t, [][]int64{{1, 2}, {}, {3}}, got)

	_, err = wire.Decode[[][]int64](`[[1,2],[3,"4"]]`)
	assert.EqualError(t, err, "[1][1]: got string, want number")
}

func TestAbsentAndNullFieldsGetTheirDefaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"name":"a"}`, `{"name":"a","enabled":null,"capabilities":null}`} {
		p := peer(t, text)
		assert.True(t, p.Enabled, text)
		assert.Equal(t, map[string]any{}, p.Capabilities, text)
		assert.Nil(t, p.URL, text)
		assert.Nil(t, p.PeerToken, text)
		assert.Nil(t, p.AdditionalProperties, text)
	}
}

func TestDefaultMapsAreNotShared(t *testing.T) {
	t.Parallel()
	var list gateway.PeerList
	require.NoError(t, list.UnmarshalJSON([]byte(`[{"name":"a"},{"name":"b"}]`)))
	list.Peers[0].Capabilities["mine"] = true
	assert.Empty(t, list.Peers[1].Capabilities)
}

func TestEnabledIsABooleanOrANumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"true": true, "1": true, "false": false, "0": false} {
		assert.Equal(t, want, peer(t, `{"name":"a","enabled":`+text+`}`).Enabled, text)
	}
	for text, reason := range map[string]string{
		"2":      "number is neither 0 nor 1",
		"-1":     "number is neither 0 nor 1",
		"-0":     "number is neither 0 nor 1",
		"1.0":    "number is neither 0 nor 1",
		"1e0":    "number is neither 0 nor 1",
		"10":     "number is neither 0 nor 1",
		`"1"`:    "got string, want bool",
		`"true"`: "got string, want bool",
		`[true]`: "got array, want bool",
		`{}`:     "got object, want bool",
		"tru":    "unexpected byte 125 '}' at 25",
		"01":     "unexpected byte 49 '1' at 23",
		"-":      "unexpected byte 125 '}' at 23",
	} {
		var p gateway.MeshPeer
		assert.Equal(t, reason, refused(t, "enabled", p.UnmarshalJSON([]byte(`{"name":"a","enabled":`+text+`}`))), text)
	}
}

func TestTaskIDsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`42`:                   "42",
		`"42"`:                 "42",
		`9007199254740993`:     "9007199254740993", // 2^53+1: a float64 would return ...992
		`18446744073709551616`: "18446744073709551616",
		`-7`:                   "-7",
		`"task-1"`:             "task-1",
		`""`:                   "",
	} {
		got := message(t, messageWith(`"related_task_id":`+text)).RelatedTaskID
		require.NotNil(t, got, text)
		assert.Equal(t, want, *got, text)
	}
	assert.Nil(t, message(t, row).RelatedTaskID)
	assert.Nil(t, message(t, messageWith(`"related_task_id":null`)).RelatedTaskID)
	var m gateway.MeshMessage
	assert.Equal(t, "got bool, want string", refused(t, "related_task_id", m.UnmarshalJSON([]byte(messageWith(`"related_task_id":true`)))))
}

func TestInexactIDsAreRejected(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "-1": -1, "9007199254740993": 9007199254740993,
		"9223372036854775807": 9223372036854775807, "-9223372036854775808": -9223372036854775808,
		"1.0": 1, "5.00": 5, "-1.50e1": -15, "1e3": 1000, "1E+0": 1, "1200e-2": 12, "0.0": 0, "-0e-9": 0, "0e999999999999999999999": 0,
		"9.223372036854775807e18": 9223372036854775807, "9007199254740993.0": 9007199254740993, "0.0000000000000000001e19": 1,
	} {
		assert.Equal(t, want, message(t, messageWith(`"id":`+text)).ID, text)
	}
	for text, reason := range map[string]string{
		"1.5":                      "number is not an integer in range",
		"12e-1":                    "number is not an integer in range",
		"1e19":                     "number is not an integer in range",
		"1e-1":                     "number is not an integer in range",
		"1e999999999999999999":     "number is not an integer in range",
		"1e9999999999999999999999": "number is not an integer in range",
		"1e-999999999":             "number is not an integer in range",
		"9223372036854775808":      "number is not an integer in range",
		"-9223372036854775809":     "number is not an integer in range",
		`"1"`:                      "got string, want number",
		"true":                     "got bool, want number",
		"[1]":                      "got array, want number",
	} {
		var m gateway.MeshMessage
		assert.Equal(t, reason, refused(t, "id", m.UnmarshalJSON([]byte(messageWith(`"id":`+text)))), text)
	}
	for _, text := range []string{"+1", "01", "1.", ".5", "0x1", "1e", "--1", "1_000", "NaN"} {
		var m gateway.MeshMessage
		assert.Error(t, m.UnmarshalJSON([]byte(messageWith(`"id":`+text))), text)
	}
}

func TestNullableStringsAreNilOrText(t *testing.T) {
	t.Parallel()
	m := message(t, messageWith(`"content":null,"thread_id":"t","read_at":""`))
	assert.Nil(t, m.Content)
	require.NotNil(t, m.ThreadID)
	assert.Equal(t, "t", *m.ThreadID)
	require.NotNil(t, m.ReadAt)
	assert.Empty(t, *m.ReadAt)
	for _, field := range []string{"content", "thread_id", "read_at"} {
		assert.Equal(t, "got number, want string", refused(t, field, m.UnmarshalJSON([]byte(messageWith(`"`+field+`":1`)))))
		assert.Error(t, m.UnmarshalJSON([]byte(messageWith(`"`+field+`":nul`))), "an invalid null")
	}
}

// A row may have a kind that isn't in the document, and the inbox must stay readable.
func TestUnknownKindIsRead(t *testing.T) {
	t.Parallel()
	m := message(t, messageWith(`"kind":"escalation"`))
	assert.Equal(t, gateway.Kind("escalation"), m.Kind)
	assert.False(t, m.Kind.Valid())
}

func TestNumbersInCapabilitiesStayExact(t *testing.T) {
	t.Parallel()
	p := peer(t, `{"name":"a","capabilities":{"n":9007199254740993,"deep":[{"x":0.10}],"s":"1","b":true,"z":null}}`)
	assert.Equal(t, map[string]any{
		"n":    json.Number("9007199254740993"),
		"deep": []any{map[string]any{"x": json.Number("0.10")}},
		"s":    "1",
		"b":    true,
		"z":    nil,
	}, p.Capabilities)
	for text, got := range map[string]string{`[]`: "array", `"x"`: "string", `1`: "number", `true`: "bool"} {
		assert.Equal(t, "got "+got+", want object", refused(t, "capabilities", p.UnmarshalJSON([]byte(`{"name":"a","capabilities":`+text+`}`))))
	}
}

func TestStringsAreUnescaped(t *testing.T) {
	t.Parallel()
	m := message(t, messageWith(`"content":"\"\\\/\b\f\n\r\t \u00e9 \ud83d\ude00 é 😀 \u0000"`))
	assert.Equal(t, "\"\\/\b\f\n\r\t é 😀 é 😀 \x00", *m.Content)
}
