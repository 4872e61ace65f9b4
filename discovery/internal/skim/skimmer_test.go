package skim

import (
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
)

var (
	leaf     = &response.Node{Field: response.ID}
	testRoot = &response.Node{Members: map[string]*response.Node{
		"id": leaf, "usage": leaf, "queries": {Element: leaf},
		"output": {Element: &response.Node{Members: map[string]*response.Node{
			"type": leaf, "action": {Members: map[string]*response.Node{"type": leaf}},
		}}},
	}}
)

func skim(pieces ...string) (documents []string, s *Skimmer) {
	s = &Skimmer{root: testRoot, each: func(d []byte) { documents = append(documents, string(d)) }}
	for _, p := range pieces {
		s.Write([]byte(p))
	}
	return documents, s
}

func TestSkimmerKeepsKnownFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ document, want string }{
		"empty":             {`{}`, `{}`},
		"unknown":           {`{"text":"x","n":1,"o":{"id":1},"a":[{"id":2}],"b":true}`, `{}`},
		"scalars":           {"{\"id\" : \"a\\\"b\\\\\" ,\n\"usage\":null}", `{"id":"a\"b\\","usage":null}`},
		"number at the end": {`{"id":12}`, `{"id":12}`},
		"whole":             {`{"usage":{"a":[1,{"b":"}]"}],"c":-1.5e3}}`, `{"usage":{"a":[1,{"b":"}]"}],"c":-1.5e3}}`},
		"not in content":    {`{"text":"\"usage\":{\"a\":1}","content":[{"usage":{"a":1}}],"usage":{"b":2}}`, `{"usage":{"b":2}}`},
		"inner": {`{"output":[{"type":"t","id":"x","action":{"type":"search","query":"q"}},{"content":[]}],"id":1}`,
			`{"output":[{"type":"t","action":{"type":"search"}},{}],"id":1}`},
		"empty text":  {`{"text":"","id":1,"more":"\n","usage":2}`, `{"id":1,"usage":2}`},
		"other types": {`{"output":"a long text","queries":{"a":1},"id":1}`, `{"id":1}`},
		"elements":    {`{"queries":["a","]b",1],"output":["a",null,{},[{}]]}`, `{"queries":["a","]b",1],"output":[{}]}`},
		"escaped key": {`{"\u0069d":1,"i\"d":2}`, `{}`},
		"long key":    {`{"` + strings.Repeat("k", 100) + `":1,"id":2}`, `{"id":2}`},
	} {
		got, s := skim(c.document)
		assert.NoError(t, s.err, name)
		assert.Equal(t, []string{c.want}, got, name)
		assert.True(t, s.ended, name)
	}
}

func TestSkimmerTakesElementsOfAnArrayAsDocuments(t *testing.T) {
	t.Parallel()
	got, s := skim("[{\"id\":1}\n,\r\n{\"id\":2}", "]\n")
	assert.NoError(t, s.err)
	assert.Equal(t, []string{`{"id":1}`, `{"id":2}`}, got)
	assert.True(t, s.ended)
	got, s = skim(`[{"id":1},`)
	assert.Len(t, got, 1)
	assert.False(t, s.ended, "the array was cut")
}

func TestSkimmerRefusesWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"<html>", `"text"`, `12`, `{"id" 1}`, `{"id":1]`, `{}}`, `{} {}`, `{,}`, `[[{}]]`, `{"id"}`, `{1:2}`} {
		_, s := skim(document)
		assert.ErrorIs(t, s.err, errNotJSON, document)
	}
	_, s := skim(`{"usage":["`, strings.Repeat("x", maxKept), `"]}`)
	assert.ErrorIs(t, s.err, errTooLarge)
	documents, s := skim(`{"text":"`, strings.Repeat("x", 2*maxKept), `","id":1}`)
	assert.NoError(t, s.err, "only what is kept is bounded")
	assert.Equal(t, []string{`{"id":1}`}, documents)
}

// A long text is kept only as a hash, a long name not at all, and an error only as a
// flag.
func TestSkimmerKeepsNoLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*maxKept)
	root := &response.Node{Members: map[string]*response.Node{
		"id": leaf, "error": {Field: response.Failure}, "queries": {Element: &response.Node{Field: response.Query}},
	}}
	var got []string
	read := func(size int, document string) {
		s := &Skimmer{root: root, each: func(d []byte) { got = append(got, string(d)) }}
		for rest := document; rest != ""; rest = rest[min(size, len(rest)):] {
			s.Write([]byte(rest[:min(size, len(rest))]))
		}
		assert.NoError(t, s.err)
		assert.Less(t, cap(s.kept), maxIdle+1)
	}
	for _, size := range []int{1, 1000, 1 << 20} {
		got = nil
		read(size, `{"id":"`+long+`","queries":["a\"","`+long+`","`+long+`\n"],"error":{"message":["`+long+`"]}}`)
		assert.Equal(t, []string{`{"id":"","queries":["a\"","` + fnv1a(long) + `","` + fnv1a(long+`\n`) + `"],"error":{}}`}, got)
	}
}

func fnv1a(text string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))
	return strconv.FormatUint(hash.Sum64(), 16)
}

func FuzzSkimmer(f *testing.F) {
	f.Add([]byte(`{"text":"\"usage\"","usage":{"a":[1,"]"]},"output":[{"type":"t","action":{"type":null}}],"id":"x"}`), 3)
	f.Add([]byte("[{\"id\":1}\n,\r\n{\"id\":2}]"), 1)
	f.Add([]byte(`{"id":1,"usage":`), 7)
	f.Fuzz(func(t *testing.T, document []byte, size int) {
		whole, w := skim(string(document))
		var pieces []string
		size = max(size%16, 1)
		for rest := string(document); rest != ""; rest = rest[min(size, len(rest)):] {
			pieces = append(pieces, rest[:min(size, len(rest))])
		}
		split, s := skim(pieces...)
		assert.Equal(t, whole, split)
		assert.Equal(t, w.err, s.err)
		assert.Equal(t, w.ended, s.ended)
		if json.Valid(document) && w.err == nil {
			for _, d := range whole {
				assert.True(t, json.Valid([]byte(d)), "%s of %s", d, document)
			}
			assert.True(t, w.ended)
		}
	})
}
