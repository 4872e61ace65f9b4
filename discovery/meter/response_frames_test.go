package meter_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

const (
	invokeStream   = "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream"
	converseStream = "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse-stream"
	binaryStream   = "application/vnd.amazon.eventstream"
)

// frame returns an event stream message with two headers: the message type and its name.
func frame(kind, name, payload string) []byte {
	header := func(name, value string) string {
		return string(rune(len(name))) + name + "\x07" + string(binary.BigEndian.AppendUint16(nil, uint16(len(value)))) + value
	}
	headers := header(":message-type", kind) + header(":"+kind+"-type", name)
	m := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, headers...), payload...)
	return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
}

// openMessage starts a 16 MiB chunk.
func openMessage(payload string) []byte {
	headers := "\x0b:event-type\x07\x00\x05chunk"
	m := binary.BigEndian.AppendUint32(nil, 16<<20)
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	return append(binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m)), headers+payload...)
}

func chunk(event string) []byte {
	return frame("event", "chunk", `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(event))+`","p":"abcdefghijkl"}`)
}

var (
	chunkStart = chunk(`{"type":"message_start","message":{"id":"msg_bdrk_1","model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":10,"output_tokens":1}}}`)
	chunkText  = chunk(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + strings.Repeat("word ", 16) + `"}}`)
	chunkEnd   = chunk(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}`)
)

func binaryExchange(url string, body []byte) *exchange {
	e := &exchange{}
	e.Request.Method, e.Request.URL = http.MethodPost, url
	e.Response.Status, e.Response.Headers, e.Response.Body = 200, map[string]string{"Content-Type": binaryStream}, string(body)
	return e
}

// If one bit is flipped, a call must have no cost: 0.000363 USD would become 0.0000495.
func TestEventStreamsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	damaged := func(message []byte, at int) []byte {
		message = bytes.Clone(message)
		message[at] ^= 1
		return message
	}
	prelude := binary.BigEndian.AppendUint32(nil, 2<<30-1)
	prelude = binary.BigEndian.AppendUint32(prelude, 0)
	prelude = binary.BigEndian.AppendUint32(prelude, crc32.ChecksumIEEE(prelude))
	metadata := frame("event", "metadata", `{"usage":{"inputTokens":10,"outputTokens":20,"totalTokens":30}}`)
	for name, row := range map[string]struct {
		url    string
		last   []byte
		reason string
	}{
		"the checksum of the final counts":      {invokeStream, damaged(chunkEnd, len(chunkEnd)-1), "wrong checksum"},
		"a bit of the final counts":             {invokeStream, damaged(chunkEnd, len(chunkEnd)-40), "wrong checksum"},
		"the checksum of a prelude":             {invokeStream, damaged(chunkEnd, 9), "wrong checksum"},
		"the checksum of Converse's counts":     {converseStream, damaged(metadata, len(metadata)-1), "wrong checksum"},
		"cut":                                   {invokeStream, chunkEnd[:len(chunkEnd)-3], "ends within a message"},
		"cut in a prelude":                      {invokeStream, chunkEnd[:5], "ends within a message"},
		"a message of 2 GiB":                    {invokeStream, append(prelude, chunkEnd...), "more than 16 MiB"},
		"an exception":                          {invokeStream, frame("exception", "modelStreamErrorException", `{"message":"secret"}`), "exception modelStreamErrorException"},
		"an exception of Converse":              {converseStream, frame("exception", "throttlingException", `{"message":"secret"}`), "exception throttlingException"},
		"base64":                                {invokeStream, frame("event", "chunk", `{"bytes":"secret?"}`), "not base64"},
		"no final counts":                       {invokeStream, nil, "ended before its final counts"},
		"counts that contradict themselves":     {converseStream, frame("event", "metadata", `{"usage":{"inputTokens":10,"outputTokens":20,"totalTokens":7}}`), "totalTokens is not the sum"},
		"a usage object with more than 48 KiB":  {converseStream, frame("event", "metadata", `{"usage":{"inputTokens":10,"x":"`+strings.Repeat("x", 64<<10)+`"}}`), tooLarge},
		"not an event stream, of the same type": {invokeStream, []byte(`{"message":"the body is JSON"}`), "wrong checksum"},
	} {
		body := slices.Concat(chunkStart, chunkText, row.last)
		for _, size := range []int{1, 7, len(body)} {
			for _, gzipped := range []bool{false, true} {
				records := send(t, binaryExchange(row.url, body), size, gzipped) // compares the bytes
				require.Len(t, records, 1, name)
				r := records[0]
				assert.Contains(t, r.Unpriced, row.reason, "%s in pieces of %d", name, size)
				assert.NotContains(t, r.Unpriced, "secret")
				assert.Empty(t, r.USD, name)
				assert.Equal(t, []any{200, true, false}, []any{r.Status, r.Stream, !r.Incomplete}, name)
			}
		}
	}
}

func TestAnEventStreamIsCountedAtItsFinalCounts(t *testing.T) {
	t.Parallel()
	body := slices.Concat(chunkStart, chunkText, chunkEnd, []byte("what follows is not read"))
	for _, size := range []int{1, 7, len(body)} {
		records := send(t, binaryExchange(invokeStream, body), size, size == 7)
		require.Len(t, records, 1)
		assert.EqualValues(t, "0.000363", records[0].USD, records[0].Unpriced) // 10 × 3 + 20 × 15, × 1.1 in the profile us
		assert.Equal(t, "msg_bdrk_1", records[0].ID)
	}
}

// BenchmarkEventStream reads 1,000 Claude events from Bedrock, with and without a meter.
func BenchmarkEventStream(b *testing.B) {
	body := slices.Concat(chunkStart, bytes.Repeat(chunkText, 1000), chunkEnd)
	base := roundTripper(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {binaryStream}}, Request: req, Body: io.NopCloser(bytes.NewReader(body))}, nil
	})
	m, err := meter.New()
	require.NoError(b, err)
	for name, transport := range map[string]http.RoundTripper{"baseline": base, "meter": m.Transport(base)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			buffer := make([]byte, 32<<10)
			events := 0
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, invokeStream, http.NoBody)
				require.NoError(b, err)
				res, err := transport.RoundTrip(req)
				require.NoError(b, err)
				_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, res.Body, buffer)
				require.NoError(b, err)
				res.Body.Close()
				events += 1002
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
