package wire_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
	"github.com/mesh-gateway/mesh-go/internal/wire"
	"github.com/mesh-gateway/mesh-go/specs"
)

// schemas come from the gateway document. The reference encoder follows them, so a new
// field needs no change here.
var schemas = sync.OnceValue(func() openapi3.Schemas {
	data, err := specs.Document("gateway")
	if err != nil {
		panic(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		panic(err)
	}
	return doc.Components.Schemas
})

// reference encodes each generated field with encoding/json, and unknown ones as a map.
func reference(t *testing.T, object any) string {
	t.Helper()
	v := reflect.ValueOf(object)
	schema := schemas()[v.Type().Name()].Value
	var members []string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if property := schema.Properties[name]; property != nil && (!leftOut(v.Field(i), property.Value)) {
			members = append(members, marshal(t, name)+":"+marshal(t, v.Field(i).Interface()))
		}
	}
	if unknown := v.FieldByName("AdditionalProperties"); unknown.Len() > 0 {
		text := marshal(t, unknown.Interface()) // sorted and compacted
		members = append(members, text[1:len(text)-1])
	}
	return "{" + strings.Join(members, ",") + "}"
}

// leftOut reports whether a field is nil and must not be null.
func leftOut(v reflect.Value, s *openapi3.Schema) bool {
	switch v.Kind() {
	case reflect.Pointer:
		nullable := s.Nullable || slices.ContainsFunc(s.OneOf, func(arm *openapi3.SchemaRef) bool { return arm.Value.Nullable })
		return v.IsNil() && !nullable
	case reflect.Map, reflect.Slice:
		return v.IsNil()
	default:
		return false
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// replaced makes escapes comparable. For invalid bytes, encoding/json writes an escaped
// U+FFFD up to Go 1.26, like package wire, and a plain one from Go 1.27 on. It writes \b
// and \f where package wire writes \u0008 and \u000c.
func replaced(text string) string {
	return strings.NewReplacer(`\ufffd`, "\ufffd", `\b`, `\u0008`, `\f`, `\u000c`).Replace(text)
}

// FuzzEncoder compares bytes with the reference, for a row in a list and for json.Marshal
// of the row.
func FuzzEncoder(f *testing.F) {
	for _, s := range texts {
		f.Add(s, "name", s, []byte(`null`), int64(1))
		f.Add("x", s, "b", []byte(" {\n\"a\" : [ 1 , \"<\u2028>&\\u003c\\\"\" ] } "), int64(math.MinInt64))
	}
	f.Fuzz(func(t *testing.T, text, key, other string, raw []byte, n int64) {
		m := gateway.MeshMessage{ID: n, Content: &text, CreatedAt: other, FromNode: text, Kind: gateway.Kind(other), ThreadID: &other}
		peer := gateway.MeshPeer{Name: text, URL: &other, Capabilities: map[string]any{
			"a": text, "b": []any{other, nil, true, json.Number("1e5")}, "c": map[string]any{"x": text, "d": n, "e": []string{text}},
		}}
		if isField := schemas()["MeshMessage"].Value.Properties[key] != nil; json.Valid(raw) && !isField {
			m.AdditionalProperties = map[string]json.RawMessage{key: raw, "zz": raw, "": raw}
		}
		want := reference(t, m)
		list, err := gateway.MessageEnvelope{Messages: []gateway.MeshMessage{m}}.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, replaced(`{"messages":[`+want+`]}`), replaced(string(list)))
		direct, err := json.Marshal(m)
		require.NoError(t, err)
		require.Equal(t, replaced(want), replaced(string(direct)))

		got, err := peer.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, replaced(reference(t, peer)), replaced(string(got)))
	})
}

// texts covers every character class that encoding/json treats differently.
var texts = []string{
	"", "plain", "exactly8", "seven77", "<script>&amp;</script>", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é😀", "\u2028\u2029\u202a", "\xff\xfea\xc3", "\xed\xa0\x80",
	"abcdefg<", "abcdefgh<", "abcdefghi>jklmnopq&", strings.Repeat("long ", 100) + "\n", "\ufffd", "a=b'c`d",
}

// Every character, also at each place in an eight-byte word, because eight bytes are
// checked together.
func TestStringsAreEscapedAsInEncodingJSON(t *testing.T) {
	t.Parallel()
	for c := range rune(0x3000) {
		if c > 0x100 && c < 0x2000 {
			continue
		}
		for place := range whole.Cases(9, 1) {
			text := strings.Repeat("a", place) + string(c) + strings.Repeat("b", 9-place)
			want, err := json.Marshal(text)
			require.NoError(t, err)
			got, err := wire.Encode(text)
			require.NoError(t, err)
			require.Equal(t, replaced(string(want)), replaced(string(got)))
		}
	}
	for c := range 256 {
		text := "ab" + string([]byte{byte(c)}) + "cdefghijkl"
		want, err := json.Marshal(text)
		require.NoError(t, err)
		got, err := wire.Encode(text)
		require.NoError(t, err)
		require.Equal(t, replaced(string(want)), replaced(string(got)))
	}
}

// same checks that v is encoded as in encoding/json, or fails in both.
func same[T any](t *testing.T, v T) {
	t.Helper()
	want, refErr := json.Marshal(v)
	got, err := wire.Encode(v)
	require.Equal(t, refErr == nil, err == nil, "%v: %v, %v", v, refErr, err)
	require.Equal(t, string(want), string(got))
}

func TestScalarsAreWrittenAsInEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, f := range []float64{
		0, math.Copysign(0, -1), 1, -1.5, 0.1, 1e-6, 9.99e-7, 1e-7, 1e-10, 1e20, 1e21, 1e22, 123456789.125, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1e-100,
	} {
		same(t, f)
		same(t, float32(f))
	}
	for _, n := range []json.Number{"", "0", "-0", "1e5", "1E+5", "0.10", "01", "1.", "x", "1 ", " 1", "-", "1e", "+1", "0x1", "NaN", "1\n", "1,2", "1]"} {
		same(t, n)
	}
	for _, at := range []time.Time{
		{}, time.Unix(0, 1).UTC(), time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)),
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("", 25*3600)),
	} {
		same(t, at)
	}
	for _, raw := range []json.RawMessage{nil, {}, json.RawMessage(` [ 1 , "a b" ] `), json.RawMessage("x"), json.RawMessage("1 2"), json.RawMessage("[1,")} {
		same(t, raw)
	}
}

func TestAnyIsWrittenAsInEncodingJSON(t *testing.T) {
	t.Parallel()
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, v := range []any{
		nil, "x", true, json.Number("1e5"), 1, 1.5, []any(nil), []any{}, map[string]any(nil), map[string]any{}, []string{"<"},
		map[string]any{"b": 1, "a": []any{nil, map[string]any{"é": "\u2028"}}, "": uint8(7)},
		struct{ A int }{1}, math.NaN(), []any{math.Inf(1)}, map[string]any{"f": func() {}}, cycle, json.Number("x"),
	} {
		same(t, v)
	}
}

func TestEncodingErrorsHaveThePath(t *testing.T) {
	t.Parallel()
	bad := map[string]json.RawMessage{"secret name": json.RawMessage("{")}
	broken := leaf{AdditionalProperties: bad}
	for path, v := range map[string]json.Marshaler{
		"messages[1].(unknown field)": gateway.MessageEnvelope{Messages: []gateway.MeshMessage{{}, {AdditionalProperties: bad}}},
		"peers[0].capabilities":       gateway.PeerEnvelope{Peers: []gateway.MeshPeer{{Capabilities: map[string]any{"k": math.NaN()}}}},
		"lists.(unknown field)":       containers{Lists: map[string][]leaf{"k": {{}, broken}}},
		"leafMap.(unknown field)":     containers{LeafMap: &map[string]leaf{"k": broken}},
		"leaves[0].(unknown field)":   containers{Leaves: []leaf{broken}},
		"double":                      scalars{Double: ptr(math.NaN())},
		"(unknown field)":             containers{NullableItems: []*string{nil}, AdditionalProperties: bad},
	} {
		_, err := v.MarshalJSON()
		require.Equal(t, "value cannot be written as JSON", refused(t, path, err))
		require.NotContains(t, err.Error(), "secret")
	}
}

// json.Marshal compacts MarshalJSON's result. In a direct call, the outermost object's
// unknown fields stay as they are.
func TestUnknownFieldsOfTheOutermostObjectAreNotCompacted(t *testing.T) {
	t.Parallel()
	h := gateway.Health{AdditionalProperties: map[string]json.RawMessage{"a": json.RawMessage(`[ "<" ]`)}}
	text, err := h.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"a":[ "<" ]}`, string(text))
	text, err = json.Marshal(h)
	require.NoError(t, err)
	assert.Equal(t, `{"a":["\u003c"]}`, string(text))
}

// The encoder reuses its buffers, but earlier results must not change.
func TestResultsDoNotShareMemory(t *testing.T) {
	t.Parallel()
	first, err := gateway.MeshMessage{Content: ptr("first")}.MarshalJSON()
	require.NoError(t, err)
	kept := bytes.Clone(first)
	for range 100 {
		_, err = gateway.MeshMessage{Content: ptr("second")}.MarshalJSON()
		require.NoError(t, err)
	}
	assert.Equal(t, string(kept), string(first))
}
