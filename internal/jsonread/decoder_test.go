package jsonread_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/go-faster/jx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// outline reads a text to its end, and returns what was read: each key, each string, each number as its text, whole number and
// float, and each word. ok is false if any of it could not be read.
func outline(text []byte) (read string, ok bool) {
	var d jsonread.Decoder
	d.Reset(text)
	var out strings.Builder
	ok = outlineValue(&d, &out) && d.AtEnd()
	return out.String(), ok
}

func outlineValue(d *jsonread.Decoder, out *strings.Builder) bool {
	switch d.Next() {
	case jsonread.Object:
		members, err := d.Object()
		for err == nil && members.Next() {
			fmt.Fprintf(out, "%q:", members.Key())
			if !outlineValue(d, out) {
				return false
			}
		}
		out.WriteString("}")
		return err == nil && members.Err() == nil
	case jsonread.Array:
		elements, err := d.Array()
		for err == nil && elements.Next() {
			if !outlineValue(d, out) {
				return false
			}
		}
		out.WriteString("]")
		return err == nil && elements.Err() == nil
	case jsonread.String:
		text, err := d.StrBytes()
		fmt.Fprintf(out, "%q,", text)
		return err == nil
	case jsonread.Number:
		return outlineNumber(d, out)
	case jsonread.Bool:
		is, err := d.Bool()
		fmt.Fprint(out, is)
		return err == nil
	case jsonread.Null:
		out.WriteString("null")
	case jsonread.Invalid:
	}
	return d.Skip() == nil
}

func outlineNumber(d *jsonread.Decoder, out *strings.Builder) bool {
	begin := d.Mark()
	whole, wholeErr := d.Int64()
	d.Return(begin)
	float, floatErr := d.Float64()
	d.Return(begin)
	raw, err := d.Raw()
	writeNumber(out, raw, whole, wholeErr, float, floatErr)
	return err == nil
}

func writeNumber(out *strings.Builder, raw []byte, whole int64, wholeErr error, float float64, floatErr error) {
	fmt.Fprintf(out, "%s %d %v %x %v,", raw, whole, wholeErr == nil, math.Float64bits(float), floatErr == nil)
}

// outlineJX is outline with jx.
func outlineJX(text []byte) (read string, ok bool) {
	d := jx.DecodeBytes(text)
	var out strings.Builder
	if !outlineJXValue(d, &out) {
		return "", false
	}
	return out.String(), d.Next() == jx.Invalid && errors.Is(d.Skip(), io.EOF) // Skip has that error within an array too
}

func outlineJXValue(d *jx.Decoder, out *strings.Builder) bool {
	switch d.Next() {
	case jx.Object:
		members, err := d.ObjIter()
		for err == nil && members.Next() {
			fmt.Fprintf(out, "%q:", members.Key())
			if !outlineJXValue(d, out) {
				return false
			}
		}
		out.WriteString("}")
		return err == nil && members.Err() == nil
	case jx.Array:
		elements, err := d.ArrIter()
		for err == nil && elements.Next() {
			if !outlineJXValue(d, out) {
				return false
			}
		}
		out.WriteString("]")
		return err == nil && elements.Err() == nil
	case jx.String:
		text, err := d.StrBytes()
		fmt.Fprintf(out, "%q,", text)
		return err == nil
	case jx.Number:
		raw, err := d.Raw()
		whole, wholeErr := jx.DecodeBytes(raw).Int64()
		float, floatErr := jx.DecodeBytes(raw).Float64()
		writeNumber(out, raw, whole, wholeErr, float, floatErr)
		return err == nil
	case jx.Bool:
		is, err := d.Bool()
		fmt.Fprint(out, is)
		return err == nil
	case jx.Null:
		out.WriteString("null")
	case jx.Invalid:
	}
	return d.Skip() == nil
}

var texts = []string{
	`{}`, `[]`, ` { "a" : [ 1 , 2.5 , -0 , 1e3 , 0 , 0.0 , 00 ] }`, `{"a":1,}`, `[1,]`, `{,}`, `[,1]`, `{"a" 1}`, `{"a":}`, `{"a"`, `{`, `[`, `"`, "\"a\nb\"", `"\u00e9\ud83d\ude00\ud800\n\/"`, `"\x"`, "\"\xff\"",
	`true`, `false`, `null`, `nul`, `truee`, `tru`, `[true,false,null]`, `1 2`, `1.`, `.5`, `01`, `-`, `1-2`, `1.2.3`, `[123456789012345678]`, `[1234567890123456789]`, `[99999999999999999999]`, `[0.12345678901234567]`,
	`[9007199254740993]`, `[9007199254740993.5]`, `[1.7976931348623159e308]`, `{"a":{"a":{"a":[[[]]]}},"b":"c"}`, "\x00", "1\x00", `{"a":1}` + "\x00", `"a"b`, "\ufeff{}", `[1:2]`, `{"a":1]`, `[1}`, `{"\u0061":1}`, "1\f", `0 [[],`,
}

func TestDecoderReadsAsJX(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		want, valid := outlineJX([]byte(text))
		got, ok := outline([]byte(text))
		assert.Equal(t, valid, ok, text)
		assert.Equal(t, json.Valid([]byte(text)), ok, text)
		if valid {
			assert.Equal(t, want, got, text)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	for depth, valid := range map[int]bool{10_000: true, 10_001: false, 1_000_000: false} {
		for _, pair := range []string{"[]", `{"a":}`} {
			half := len(pair) - 1
			text := strings.Repeat(pair[:half], depth) + "1" + strings.Repeat(pair[half:], depth)
			var d jsonread.Decoder
			d.Reset([]byte(text))
			assert.Equal(t, valid, d.Skip() == nil, "%d %s", depth, pair)
			_, ok := outline([]byte(text))
			assert.Equal(t, valid, ok, "%d %s", depth, pair)
		}
	}
}

func TestReturnReadsAValueAgain(t *testing.T) {
	t.Parallel()
	var d jsonread.Decoder
	d.Reset([]byte(`[[[1,2]],3]`))
	outer, err := d.Array()
	require.NoError(t, err)
	require.True(t, outer.Next())
	begin := d.Mark()
	_, err = d.Array()
	require.NoError(t, err)
	d.Return(begin)
	require.NoError(t, d.Skip())
	assert.Equal(t, "[[1,2]]", string(d.Since(begin)))
	require.True(t, outer.Next())
	n, err := d.Int()
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.False(t, outer.Next())
	require.NoError(t, outer.Err())
	assert.True(t, d.AtEnd())
}

// FuzzDecoder compares the decoder with jx, and the syntax with encoding/json.
func FuzzDecoder(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, valid := outlineJX(text)
		got, ok := outline(text)
		if valid != ok || (valid && want != got) {
			t.Fatalf("%q: %v, want %v\n%s\n%s", text, ok, valid, got, want)
		}
		var d jsonread.Decoder
		d.Reset(text)
		if raw, err := d.Raw(); (err == nil && d.AtEnd()) != valid {
			t.Fatalf("%q: skipped %q, %v", text, raw, err)
		}
		if json.Valid(text) != valid {
			t.Fatalf("%q: %v", text, valid)
		}
	})
}
