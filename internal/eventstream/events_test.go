package eventstream_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// documents returns a stream's JSON documents. The stream arrives size bytes at a time.
func documents(stream []byte, size int) ([]string, error) {
	var all []string
	var now []byte
	e := eventstream.NewEvents(
		func() { now = nil },
		func(piece []byte) { now = append(now, piece...) },
		func() { all = append(all, string(now)) },
	)
	for piece := range slices.Chunk(stream, size) {
		e.Write(piece)
	}
	return all, e.Close()
}

func event(name, payload string) []byte {
	return message(header(":event-type", name)+header(":content-type", "application/json")+header(":message-type", "event"), payload)
}

// invoked returns an InvokeModel chunk with a document.
func invoked(document string) []byte {
	return event("chunk", `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(document))+`","p":"abc"}`)
}

func TestEventsDecodesChunksAndEvents(t *testing.T) {
	t.Parallel()
	long := `{"text":"` + strings.Repeat("x", 10_000) + `"}`
	encoded := base64.StdEncoding.EncodeToString([]byte(`{"a":"??>>"}`))
	escaped := strings.NewReplacer("/", `\/`, "=", `\u003d`, "+", `\u002B`).Replace(encoded)
	require.NotEqual(t, encoded, escaped)
	stream := slices.Concat(
		invoked(`{"type":"message_start"}`), invoked(`{}`), invoked(long),
		event("metadata", `{"usage":{"inputTokens":1}}`),
		event("chunk", ` { "p" : "\"bytes\":\\", "q":[{"bytes":"@"}], "bytes" : "`+escaped+`" }`),
		event("chunk", `{"p":"no bytes"}`),
	)
	for _, size := range []int{1, 2, 3, 7, 100, len(stream)} {
		got, err := documents(stream, size)
		require.NoError(t, err)
		assert.Equal(t, []string{`{"type":"message_start"}`, "{}", long, `{"usage":{"inputTokens":1}}`, `{"a":"??>>"}`, ""}, got, "pieces of %d bytes", size)
	}
}

func TestEventsEndsWithAnException(t *testing.T) {
	t.Parallel()
	for want, bad := range map[string][]byte{
		"the stream ended with the exception modelStreamErrorException": message(header(":message-type", "exception")+header(":exception-type", "modelStreamErrorException"), `{"message":"secret"}`),
		"the stream ended with the exception InternalError":             message(header(":message-type", "error")+header(":error-code", "InternalError"), ""),
		"the stream ended with the exception unknown":                   message(header(":message-type", "exception")+header(":exception-type", "a secret text"), ""),
		"an event stream chunk is not base64 in JSON":                   event("chunk", `{"bytes":"?!"}`),
	} {
		for _, size := range []int{1, 1000} {
			got, err := documents(slices.Concat(invoked("{}"), bad, invoked("{}")), size)
			require.EqualError(t, err, want)
			assert.Equal(t, []string{"{}"}, got)
		}
	}
}

func TestEventsRefusesDamagedBase64(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"e30", "e30=e30=", "e3=0", "e30=x", "====", `e30\n`, `e30\u00zz`, "e30\x00"} {
		for _, size := range []int{1, 1000} {
			_, err := documents(event("chunk", `{"bytes":"`+bad+`"}`), size)
			assert.Error(t, err, bad)
		}
	}
}

// Piece sizes must not matter.
func FuzzEvents(f *testing.F) {
	f.Add(`{"bytes":"e30=","p":"abc"}`, true, 3)
	f.Add(` {"p":[{"bytes":"\u00e9"}],"bytes":"e\/3\u003d"}`, true, 1)
	f.Add(`{"usage":{}}`, false, 2)
	f.Fuzz(func(t *testing.T, payload string, isChunk bool, size int) {
		name := "metadata"
		if isChunk {
			name = "chunk"
		}
		stream := event(name, payload)
		whole, wholeErr := documents(stream, len(stream))
		pieces, err := documents(stream, 1+int(uint(size)%100))
		assert.Equal(t, whole, pieces)
		assert.Equal(t, wholeErr, err)
	})
}
