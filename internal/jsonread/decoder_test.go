package jsonread_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// outline reads a text to its end and returns its tokens: keys, strings, words and
// brackets, and each number as text, integer and float. ok is false if anything is
// invalid.
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
		members := d.Object()
		out.WriteString("{")
		for members.Next() {
			writeString(out, members.Key())
			if !outlineValue(d, out) {
				return false
			}
		}
		out.WriteString("}")
		return members.Err() == nil
	case jsonread.Array:
		elements := d.Array()
		out.WriteString("[")
		for elements.Next() {
			if !outlineValue(d, out) {
				return false
			}
		}
		out.WriteString("]")
		return elements.Err() == nil
	case jsonread.String:
		text, err := d.StrBytes()
		writeString(out, text)
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

// writeString writes invalid bytes as U+FFFD, like encoding/json.
func writeString(out *strings.Builder, text []byte) {
	fmt.Fprintf(out, "%q,", string([]rune(string(text))))
}

func outlineNumber(d *jsonread.Decoder, out *strings.Builder) bool {
	begin := d.Mark()
	whole, wholeErr := d.Int64()
	d.Return(begin)
	float, floatErr := d.Float64()
	d.Return(begin)
	raw, err := d.Raw()
	writeNumber(out, string(raw), whole, wholeErr, float, floatErr)
	return err == nil
}

func writeNumber(out *strings.Builder, raw string, whole int64, wholeErr error, float float64, floatErr error) {
	if wholeErr != nil {
		whole = 0
	}
	if floatErr != nil {
		float = 0
	}
	fmt.Fprintf(out, "%s %d %v %x %v,", raw, whole, wholeErr == nil, math.Float64bits(float), floatErr == nil)
}

// reference is outline with encoding/json.
func reference(text []byte) (read string, ok bool) {
	if !json.Valid(text) {
		return "", false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return out.String(), err == io.EOF
		}
		switch token := token.(type) {
		case string:
			writeString(&out, []byte(token))
		case json.Number:
			whole, wholeErr := strconv.ParseInt(token.String(), 10, 64)
			float, floatErr := token.Float64()
			writeNumber(&out, token.String(), whole, wholeErr, float, floatErr)
		case nil:
			out.WriteString("null")
		default:
			fmt.Fprint(&out, token)
		}
	}
}

var texts = []string{
	`{}`, `[]`, ` { "a" : [ 1 , 2.5 , -0 , 1e3 , 0 , 0.0 , 00 ] }`, `{"a":1,}`, `[1,]`, `{,}`, `[,1]`, `{"a" 1}`, `{"a":}`, `{"a"`, `{`, `[`, `"`, "\"a\nb\"", `"\u00e9\ud83d\ude00\ud800\n\/"`, `"\x"`, "\"\xff\"",
	`true`, `false`, `null`, `nul`, `truee`, `tru`, `[true,false,null]`, `1 2`, `1.`, `.5`, `01`, `-`, `1-2`, `1.2.3`, `[123456789012345678]`, `[1234567890123456789]`, `[99999999999999999999]`, `[0.12345678901234567]`,
	`[9007199254740993]`, `[9007199254740993.5]`, `[1.7976931348623159e308]`, `{"a":{"a":{"a":[[[]]]}},"b":"c"}`, "\x00", "1\x00", `{"a":1}` + "\x00", `"a"b`, "\ufeff{}", `[1:2]`, `{"a":1]`, `[1}`, `{"\u0061":1}`, "1\f", `0 [[],`,
	`"\"\\\/\b\f\n\r\t"`, `"\ud800\ud800\udc00"`, `"\udc00\ud800\u0041"`, `"\uD83D\uDE0"`, `"\u00G0"`, `"\`, `"\u`, "\"\\n\x01\"", "\"\\n\xed\xa0\x80\"", `["\n","\\"]`,
	`207000000000000000000`, `[9223372036854775807,9223372036854775808,-9223372036854775808,-9223372036854775809]`, `[1e5,1E+5,1e-5,-1.5e2]`, `1e`, `1e+`, `-x`, `-01`, `1.e5`, `1x`, `[1x]`, `{"a":-1x}`, `[0x1]`, `1_000`, `[1e400]`, `+1`,
}

func TestDecoderReadsAsEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		want, valid := reference([]byte(text))
		got, ok := outline([]byte(text))
		assert.Equal(t, valid, ok, text)
		if valid {
			assert.Equal(t, want, got, text)
		}
	}
}

func TestErrorsHaveAtMostOneByte(t *testing.T) {
	t.Parallel()
	const number = "731773317331773317331"
	for text, want := range map[string]string{
		``: "unexpected EOF", `[`: "unexpected EOF", `"ab\`: "unexpected EOF", `{"a":`: "unexpected EOF", `tru`: "unexpected EOF",
		`[1 2]`: "unexpected byte 50 '2' at 3", `{"a" 1}`: "unexpected byte 49 '1' at 5", `trie`: "unexpected byte 105 'i' at 2",
		`"a\u00x0"`: "unexpected byte 120 'x' at 6", number + "x": "unexpected byte 120 'x' at 21", `01`: "unexpected byte 49 '1' at 1",
	} {
		var d jsonread.Decoder
		d.Reset([]byte(text))
		assert.EqualError(t, d.Skip(), want, text)
	}
	var d jsonread.Decoder
	d.Reset([]byte(number))
	_, err := d.Int64()
	require.EqualError(t, err, "the number is out of range")
	d.Reset([]byte(number + "e731"))
	_, err = d.Float64()
	require.EqualError(t, err, "the number is out of range")
	d.Reset([]byte(`"` + number + `"`))
	_, err = d.Int64()
	require.EqualError(t, err, `unexpected byte 34 '"' at 0`)
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
	outer := d.Array()
	require.True(t, outer.Next())
	begin := d.Mark()
	inner := d.Array()
	require.True(t, inner.Next())
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

func FuzzDecoder(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, valid := reference(text)
		got, ok := outline(text)
		if valid != ok || (valid && want != got) {
			t.Fatalf("%q: %v, want %v\n%s\n%s", text, ok, valid, got, want)
		}
		var d jsonread.Decoder
		d.Reset(text)
		if raw, err := d.Raw(); (err == nil && d.AtEnd()) != valid {
			t.Fatalf("%q: skipped %q, %v", text, raw, err)
		}
	})
}
