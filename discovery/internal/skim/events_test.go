package skim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func readEvents(size int, stream string) (documents []string, err error) {
	e := &events{named: true, marks: geminiMarks}
	e.skimmer = &Skimmer{root: testRoot, each: func(d []byte) { documents = append(documents, string(d)) }}
	for rest := []byte(stream); len(rest) > 0; rest = rest[min(size, len(rest)):] {
		e.Write(rest[:min(size, len(rest))])
	}
	return documents, e.skimmer.err
}

func TestEventsInPiecesOfEverySize(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*maxHeld)
	for name, c := range map[string]struct {
		stream string
		want   []string
	}{
		"LF":                  {"event: a\ndata: {\"id\":1,\"_call\":1}\n\ndata: {\"id\":2,\"_call\":1}\n\ndata: [DONE]\n\n", []string{`{"id":1}`, `{"id":2}`}},
		"CRLF":                {"event: a\r\ndata: {\"id\":1,\"_call\":1}\r\n\r\ndata: {\"id\":2,\"_call\":1}\r\n\r\n", []string{`{"id":1}`, `{"id":2}`}},
		"CR":                  {"data: {\"id\":1,\"_call\":1}\r\rdata: {\"id\":2,\"_call\":1}\r\r", []string{`{"id":1}`, `{"id":2}`}},
		"no blank":            {"data:{\"id\":1,\"_call\":1}\n\n", []string{`{"id":1}`}},
		"no end":              {"data: {\"id\":1,\"_call\":1}\n\ndata: {\"id\":2,\"_call\":1}\n", []string{`{"id":1}`, `{"id":2}`}},
		"no counts":           {"data: {\"id\":1}\n\ndata: {\"id\":3,\"x\":{\"usage\":{}}}\n\n", []string{`{"id":3}`}},
		"several lines":       {"data: {\"x\":\ndata: 1,\"id\":\ndata:2}\n\ndata: {\"id\":3,\"_call\":1}\n\n", []string{`{"id":2}`, `{"id":3}`}},
		"comments and fields": {": keep-alive\n\nid: 7\nretry: 1\ndata: {\"id\":1,\"_call\":1}\n\n", []string{`{"id":1}`}},
		"not JSON":            {"data: xx id}\n\ndata: {\"id\":1,\"_call\":1}\n\n", []string{`{"id":1}`}},
		"after the end":       {"data: {\"id\":1,\"_call\":1}\n\ndata: [DONE]\n\ndata: {\"id\":2,\"_call\":1}\n\n", []string{`{"id":1}`}},
		"[DONE] in an event":  {"data: {\"id\":1,\ndata: [DONE]\n\ndata: {\"id\":2,\"_call\":1}\n\n", []string{`{"id":2}`}},
		"cut":                 {"data: {\"id\":1,\"_call\":1}\n\ndata: {\"id\":2,\"_call\":", []string{`{"id":1}`}},
		"long data":           {"data: {\"text\":\"" + long + "\",\"id\":1,\"_call\":1}\n\ndata: {\"id\":2,\"_call\":1}\n\n", []string{`{"id":1}`, `{"id":2}`}},
		"content of a choice": {"data: {\"id\":1,\"usage\": null,\"finish_reason\":null}\n\ndata: {\"id\":2,\"x\":\"usage\",\"finish_reason\":\"stop\"}\n\n", []string{`{"id":2}`}},
		"long data that begins at the end of a piece": {
			":" + strings.Repeat("x", 5994) + "\ndata: {\"text\":\"" + long + "\",\"id\":1,\"_call\":1}\n\n", []string{`{"id":1}`},
		},
		"long comment": {": {\"id\":0}" + long + "\ndata: {\"id\":1,\"_call\":1}\n\n", []string{`{"id":1}`}},
	} {
		for _, size := range []int{1, 2, 3, 7, 100, 6000, 1 << 20} {
			got, err := readEvents(size, c.stream)
			assert.NoError(t, err, name)
			assert.Equal(t, c.want, got, "%s in pieces of %d", name, size)
		}
	}
}

func TestEventsBoundWhatIsKept(t *testing.T) {
	t.Parallel()
	_, err := readEvents(1000, `data: {"id":["`+strings.Repeat("x", maxKept)+`"]}`)
	assert.ErrorIs(t, err, errTooLarge)
}

func TestLineLength(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\r", "\n", "\r\n"} {
		line := ":" + strings.Repeat("x", 1000) + end
		assert.Equal(t, 1001, lineLength([]byte(line+line)))
		assert.Equal(t, 1, lineLength([]byte(":"+end+line)))
	}
	assert.Equal(t, 1001, lineLength([]byte(":"+strings.Repeat("x", 1000))))
}

func FuzzEvents(f *testing.F) {
	f.Add("event: a\r\ndata: {\"id\":1,\"_call\":1}\r\n\r\ndata: [DONE]\n\n", 3)
	f.Add("data: {\"x\":\ndata: 1,\"id\":\rdata:2}\n\n", 1)
	f.Fuzz(func(t *testing.T, stream string, size int) {
		whole, err := readEvents(max(len(stream), 1), stream)
		split, err2 := readEvents(max(size%16, 1), stream)
		assert.Equal(t, whole, split)
		assert.Equal(t, err, err2)
	})
}
