package jsonlist_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/jsonlist"
)

func read(t testing.TB, f *jsonlist.Filter, body string) string {
	t.Helper()
	f.Body = iotest.OneByteReader(strings.NewReader(body))
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(text)
}

func TestFilter(t *testing.T) {
	t.Parallel()
	keep := func(text string) func(row []byte) bool {
		return func(row []byte) bool { return strings.Contains(string(row), text) }
	}
	for name, row := range map[string]struct {
		filter     jsonlist.Filter
		body, want string
	}{
		"nothing to do":         {jsonlist.Filter{List: "l"}, `{"l":[{"a":1}, {"a":[2]}],"n":2}`, `{"l":[{"a":1}, {"a":[2]}],"n":2}`},
		"every value":           {jsonlist.Filter{List: "l", Field: "a", Limit: -1}, `[{"a":1,"b":2},{"a":[]}]`, `[{"a":null,"a_dropped":true,"b":2},{"a":null,"a_dropped":true}]`},
		"large values":          {jsonlist.Filter{List: "l", Field: "a", Limit: 4}, `{"l":[{"a":"ab"},{"a":"abc"}]}`, `{"l":[{"a":"ab"},{"a":null,"a_dropped":true}]}`},
		"other places":          {jsonlist.Filter{List: "l", Field: "a", Limit: -1}, `{"a":1,"o":[{"a":1}],"l":[{"b":{"a":1},"c":"\"a\":1"}]}`, `{"a":1,"o":[{"a":1}],"l":[{"b":{"a":1},"c":"\"a\":1"}]}`},
		"one object":            {jsonlist.Filter{Field: "a", Limit: -1}, `{"b":{"a":1},"a":{"c":[1,2]}}`, `{"b":{"a":1},"a":null,"a_dropped":true}`},
		"some rows":             {jsonlist.Filter{List: "l", Keep: keep("x")}, `{"l":[ "ax" , "b", {"c":"]x,"} ],"n":3}`, `{"l":["ax" ,{"c":"]x,"} ],"n":3}`},
		"no rows":               {jsonlist.Filter{List: "l", Keep: keep("y")}, `[1,2]`, `[]`},
		"an empty list":         {jsonlist.Filter{List: "l", Keep: keep("")}, `{"l":[ ]}`, `{"l":[]}`},
		"a missing row":         {jsonlist.Filter{List: "l", Keep: keep("")}, `[1,]`, `[1,]`},
		"rows without a value":  {jsonlist.Filter{List: "l", Keep: keep("x"), Field: "a", Limit: -1}, `[{"a":"x"},{"b":"x","a":"y"}]`, `[{"b":"x","a":null,"a_dropped":true}]`},
		"a row beyond MaxRow":   {jsonlist.Filter{List: "l", Keep: keep("y"), MaxRow: 3}, `["abcdef",1]`, `["abcdef"]`},
		"a body that ends":      {jsonlist.Filter{List: "l", Field: "a", Limit: 9}, `{"l":[{"a":"b`, `{"l":[{"a":"b`},
		"a row that ends":       {jsonlist.Filter{List: "l", Keep: keep("y")}, `[{"a":"b`, `[{"a":"b`},
		"a name with an escape": {jsonlist.Filter{List: "l", Field: "a", Limit: -1}, `[{"\"a":1}]`, `[{"\"a":1}]`},
	} {
		assert.Equal(t, row.want, read(t, &row.filter, row.body), name)
	}
}

func TestFoundEndsTheList(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"l":[1,2,3,`: `{"l":[2]}`, `[1,2,3,`: `[2]`, `{"l":[1,2]`: `{"l":[2]}`, `[2]`: `[2]`,
	} {
		f := &jsonlist.Filter{List: "l"}
		f.Keep = func(row []byte) bool {
			f.Found = string(row) == "2"
			return f.Found
		}
		f.Body = io.MultiReader(strings.NewReader(body), iotest.ErrReader(io.ErrUnexpectedEOF)) // the rest must not be read
		text, err := io.ReadAll(iotest.OneByteReader(f))
		require.NoError(t, err, body)
		assert.Equal(t, want, string(text))
		assert.Equal(t, 1, f.Kept)
	}
}

func TestTooDeep(t *testing.T) {
	t.Parallel()
	for levels, deep := range map[int]bool{1: false, 1000: false, 1001: true} {
		f := &jsonlist.Filter{List: "l"}
		f.Keep = func([]byte) bool { assert.Equal(t, deep, f.TooDeep(), "%d", levels); return true }
		read(t, f, `{"l":[`+strings.Repeat("[", levels)+strings.Repeat("]", levels)+`]}`)
		assert.Equal(t, 1, f.Rows)
	}
}

// Valid JSON stays valid, and each row reaches Keep once.
func FuzzFilter(f *testing.F) {
	f.Add(`{"l":[{"a":1,"b":"x"},[],"a"],"a":2}`)
	f.Add(`[{"a":{"a":[]}},null,1.5]`)
	f.Fuzz(func(t *testing.T, body string) {
		kept := 0
		dropping, keeping := &jsonlist.Filter{List: "l", Field: "a", Limit: 3}, &jsonlist.Filter{List: "l", Keep: func(row []byte) bool {
			kept++
			return len(row)%2 == 0
		}}
		dropped, selected := read(t, dropping, body), read(t, keeping, body)
		if !json.Valid([]byte(body)) {
			return
		}
		assert.True(t, json.Valid([]byte(dropped)), dropped)
		assert.True(t, json.Valid([]byte(selected)), selected)
		var rows []json.RawMessage
		if json.Unmarshal([]byte(body), &rows) == nil && bytes.HasPrefix(bytes.TrimSpace([]byte(body)), []byte("[")) {
			assert.Equal(t, len(rows), kept)
		}
	})
}
