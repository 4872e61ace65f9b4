package meter_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

const (
	messages        = "https://api.anthropic.com/v1/messages"
	generateContent = "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:streamGenerateContent"

	hostileStart = `data: {"type":"message_start","message":{"id":"m","model":"claude-sonnet-5","usage":{"input_tokens":5,"output_tokens":1}}}` + "\n\n"
	tooLarge     = "more than 48 KiB"
)

// hostileStreams come in pieces. A meter must not keep them.
var hostileStreams = map[string]struct {
	url, contentType, begin string
	piece                   func(i int) string
	unpriced                string
}{
	"counts with new names": {messages, "text/event-stream", hostileStart, func(i int) string {
		return fmt.Sprintf(`data: {"type":"message_delta","delta":{},"usage":{"x%d_tokens":1}}`+"\n\n", i)
	}, tooLarge},
	"many counts that stay": {messages, "text/event-stream",
		strings.Replace(hostileStart, `"output_tokens":1`, `"cache_creation":["`+strings.Repeat("x", 40_000)+`"],"output_tokens":1`, 1), func(i int) string {
			return fmt.Sprintf(`data: {"type":"message_delta","delta":{},"usage":{"output_tokens":%d}}`+"\n\n", i)
		}, "ended"},
	"a usage object that grows": {messages, "text/event-stream", hostileStart + `data: {"type":"message_delta","usage":{`, func(i int) string {
		return fmt.Sprintf(`"x%d_tokens":1,`, i)
	}, tooLarge},
	"queries": {generateContent + "?alt=sse", "text/event-stream", "", func(i int) string {
		return fmt.Sprintf(`data: {"candidates":[{"groundingMetadata":{"webSearchQueries":["%d"]}}]}`+"\n\n", i)
	}, tooLarge},
	"queries in an array": {generateContent, "application/json", "[{}", func(i int) string {
		return fmt.Sprintf(`,{"candidates":[{"groundingMetadata":{"imageSearchQueries":["%d"]}}]}`, i)
	}, tooLarge},
	"counts so far": {generateContent + "?alt=sse", "text/event-stream", `data: {"responseId":"r","modelVersion":"m"}` + "\n\n", func(i int) string {
		return fmt.Sprintf(`data: {"candidates":[{}],"usageMetadata":{"promptTokenCount":8,"x":"%s"}}`+"\n\n", strings.Repeat("x", i%40_000))
	}, "ended"},
	"a line without end":        {messages, "text/event-stream", hostileStart + ":", func(int) string { return "text without an end " }, "ended"},
	"data without end":          {messages, "text/event-stream", hostileStart + "data: ", func(int) string { return "text without an end " }, "ended"},
	"lines that end with CR":    {messages, "text/event-stream", hostileStart, func(int) string { return ":\r" }, "ended"},
	"lines of data, without LF": {messages, "text/event-stream", hostileStart, func(int) string { return "data: {\r" }, "ended"},
	"messages of 16 MiB": {invokeStream, binaryStream, string(chunkStart), func(i int) string {
		if i == 0 {
			return string(openMessage(`{"bytes":"`))
		}
		return "eyJ1c2FnZSI6IHsi"
	}, tooLarge},
	"usage objects in chunks": {invokeStream, binaryStream, string(chunkStart), func(i int) string {
		return string(chunk(fmt.Sprintf(`{"type":"message_delta","delta":{},"usage":{"x%d_tokens":1}}`, i)))
	}, tooLarge},
	"counts that are wrong": {messages, "text/event-stream", hostileStart, func(i int) string {
		return fmt.Sprintf(`data: {"type":"message_delta","delta":{},"usage":{"output_tokens":{"a":[%d]},"cache_creation":{"x":[{}]},"cost":-%d}}`+"\n\n", i, i+1)
	}, "ended"},
	"names with escapes": {messages, "text/event-stream", hostileStart, func(i int) string {
		return fmt.Sprintf(`data: {"type":"message_delta","delta":{},"usage":{"\u0078%d_tokens" : 1}}`+"\n\n", i)
	}, tooLarge},
	"texts with escapes": {messages, "text/event-stream", hostileStart + `data: {"usage`, func(int) string { return `\u0061` }, "ended"},
}

func hostile(name string, n int) []byte {
	s := hostileStreams[name]
	b := bytes.NewBufferString(s.begin)
	for i := 0; b.Len() < n; i++ {
		b.WriteString(s.piece(i))
	}
	return b.Bytes()
}

// The meter holds at most 64 KiB per response. Other tests must not run at the same time.
func TestAMeterHoldsLittleOfAResponse(t *testing.T) { //nolint:paralleltest // it measures the heap
	for name, s := range hostileStreams {
		body := hostile(name, 256<<10)
		for _, form := range []string{"", "gzip"} {
			const responses, most = 4, 64 << 10
			sent := body
			limit := uint64(most)
			if form == "gzip" {
				sent = packed(body)
				limit += most // gzip's window
			}
			open := make([]io.Closer, 0, responses)
			m, err := meter.New()
			require.NoError(t, err)
			before := liveHeap()
			for range responses {
				open = append(open, readMost(t, m, s.url, s.contentType, form, sent))
			}
			held := (liveHeap() - before) / responses
			assert.Less(t, held, limit, "%s %s", name, form)
			for _, body := range open {
				body.Close()
			}
		}
	}
}

// readMost reads a body through a meter, except for its end.
func readMost(t *testing.T, m *meter.Meter, url, contentType, encoding string, sent []byte) io.Closer {
	t.Helper()
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		header := http.Header{"Content-Type": {contentType}, "Content-Encoding": {encoding}}
		return &http.Response{StatusCode: 200, Header: header, Request: req, Body: io.NopCloser(bytes.NewReader(sent))}, nil
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
	require.NoError(t, err)
	res, err := m.Transport(base).RoundTrip(req)
	require.NoError(t, err)
	_, err = io.CopyN(io.Discard, res.Body, int64(len(sent)-16))
	require.NoError(t, err)
	return res.Body
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC() // frees finalized objects and sync.Pool
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// The time for a hostile stream isn't quadratic in its length, and its record has the
// reason.
func TestHostileStreamsAreRecordedInTime(t *testing.T) {
	t.Parallel()
	for name, s := range hostileStreams {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &exchange{}
			e.Request.Method, e.Request.URL = http.MethodPost, s.url
			e.Response.Status, e.Response.Headers = 200, map[string]string{"Content-Type": s.contentType}
			e.Response.Body = string(hostile(name, whole.Cases(1<<20, 256<<10)))
			begin := time.Now()
			records := send(t, e, 64<<10, false)
			assert.Less(t, time.Since(begin), time.Minute) // the slowest took minutes
			require.Len(t, records, 1)
			assert.True(t, records[0].Incomplete)
			assert.Empty(t, records[0].USD)
			assert.Contains(t, records[0].Unpriced, s.unpriced)
			t.Log(time.Since(begin))
		})
	}
}

// Stream and ParseResponse have the same limit as a meter.
func TestOneBoundForMetersStreamsAndBodies(t *testing.T) {
	t.Parallel()
	var wrong *discovery.ValueError
	stream := prices.NewStream(models.Anthropic)
	for line := range strings.Lines(string(hostile("counts with new names", 1<<20))) {
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			require.NoError(t, stream.Event([]byte(data)))
		}
	}
	got, err := stream.Response()
	require.ErrorAs(t, err, &wrong)
	assert.ErrorContains(t, err, tooLarge)
	assert.Equal(t, prices.Response{ID: "m", Model: "claude-sonnet-5"}, got)

	stream = prices.NewStream(models.Anthropic)
	_, err = stream.Write(hostile("counts with new names", 1<<20))
	require.NoError(t, err)
	_, err = stream.Response()
	require.ErrorContains(t, err, tooLarge)

	body := append(hostile("queries in an array", 1<<20), `,{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":8,"totalTokenCount":8}}]`...)
	got, err = prices.ParseResponse(models.Gemini, body)
	require.ErrorAs(t, err, &wrong)
	assert.ErrorContains(t, err, tooLarge)
	assert.False(t, got.Complete)

	one := `{"id":"1","model":"m","usage":{"input_tokens":5,"output_tokens":1,"x":"` + strings.Repeat("x", 48<<10) + `"}}`
	_, err = prices.ParseResponse(models.Anthropic, []byte(one))
	require.ErrorAs(t, err, &wrong)
	assert.ErrorContains(t, err, tooLarge)
}
