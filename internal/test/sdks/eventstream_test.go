package sdks_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	"github.com/stretchr/testify/assert"

	own "github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// frame has the parts of a message that both readers return.
type frame struct {
	own.Headers
	payload string
}

// framed adds correct lengths and checksums.
func framed(headers, payload []byte) []byte {
	m := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, headers...), payload...)
	return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
}

// readOwn reads messages with our reader, in pieces of size bytes.
func readOwn(stream []byte, size int) (all []frame, err error) {
	var now frame
	r := own.Reader{
		Begin:   func(h own.Headers) { now = frame{Headers: h} },
		Payload: func(p []byte) { now.payload += string(p) },
		End:     func() { all = append(all, now) },
	}
	for piece := range slices.Chunk(stream, size) {
		r.Write(piece)
	}
	return all, r.Close()
}

// readAWS reads messages with the AWS decoder.
func readAWS(stream []byte) (all []frame, err error) {
	reader, decoder := bytes.NewReader(stream), eventstream.NewDecoder()
	for reader.Len() > 0 {
		m, err := decoder.Decode(reader, nil)
		if err != nil {
			return all, err
		}
		all = append(all, frame{own.Headers{
			MessageType: textOf(m.Headers.Get(eventstreamapi.MessageTypeHeader)), EventType: textOf(m.Headers.Get(eventstreamapi.EventTypeHeader)),
			ExceptionType: textOf(m.Headers.Get(eventstreamapi.ExceptionTypeHeader)), ErrorCode: textOf(m.Headers.Get(eventstreamapi.ErrorCodeHeader)),
		}, string(m.Payload)})
	}
	return all, nil
}

func textOf(v eventstream.Value) string {
	text, _ := v.(eventstream.StringValue)
	return string(text)
}

// encoded writes messages with the AWS encoder.
func encoded(t testing.TB, messages ...eventstream.Message) []byte {
	t.Helper()
	var stream bytes.Buffer
	for _, m := range messages {
		if err := eventstream.NewEncoder().Encode(&stream, m); err != nil {
			t.Fatal(err)
		}
	}
	return stream.Bytes()
}

func chunkMessage(payload string) eventstream.Message {
	return eventstream.Message{Payload: []byte(payload), Headers: eventstream.Headers{
		{Name: eventstreamapi.MessageTypeHeader, Value: eventstream.StringValue("event")},
		{Name: eventstreamapi.EventTypeHeader, Value: eventstream.StringValue("chunk")},
		{Name: "n", Value: eventstream.Int64Value(7)}, {Name: "b", Value: eventstream.BytesValue("x")},
	}}
}

// FuzzEventStream compares our reader with the AWS one: a message with any headers and
// payload, followed by any bytes. Two differences are intentional: ours has limits, and
// it refuses headers that end with a name's length.
func FuzzEventStream(f *testing.F) {
	f.Add([]byte("\x01a\x00"), []byte("payload"), encoded(f, chunkMessage("{}"), chunkMessage("")), 3)
	f.Add([]byte("\x0d:message-type\x07\x00\x05event\x0d:message-type\x01"), []byte(""), []byte{0, 0, 0, 9}, 1)
	f.Add([]byte("\x01a\x0a"), []byte(""), []byte(nil), 1)
	f.Add([]byte("\x09"), []byte("x"), []byte(nil), 2)
	f.Fuzz(func(t *testing.T, headers, payload, rest []byte, size int) {
		stream := append(framed(headers, payload), rest...)
		want, wantErr := readAWS(stream)
		got, err := readOwn(stream, 1+int(uint(size)%64))
		switch {
		case err == nil:
			assert.NoError(t, wantErr)
			assert.Equal(t, want, got)
		case !differs(err):
			assert.Error(t, wantErr)
			assert.Equal(t, want, got)
		default:
			assert.True(t, len(got) <= len(want) && slices.Equal(want[:len(got)], got), "%v %v", want, got)
			if len(want) > 0 && len(got) == 0 && strings.Contains(err.Error(), "malformed") { // without the name's length it's well-formed
				_, err = readOwn(framed(headers[:len(headers)-1], payload), 64)
				assert.NoError(t, err)
			}
		}
	})
}

// differs reports whether our reader refused a message that the AWS one may accept: a
// larger one, or headers that end with a name's length.
func differs(err error) bool {
	return strings.Contains(err.Error(), "more than") || strings.Contains(err.Error(), "malformed headers")
}

// BenchmarkEventStream reads 1,000 Claude chunks. The AWS decoder stops at the payloads,
// while ours decodes them, too.
func BenchmarkEventStream(b *testing.B) {
	event := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + strings.Repeat("word ", 16) + `"}}`
	part := encoded(b, chunkMessage(`{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(event))+`","p":"abcdefghijkl"}`))
	stream := bytes.Repeat(part, 1000)
	b.Run("AWS", func(b *testing.B) {
		payload := make([]byte, 0, 1<<10)
		for b.Loop() {
			reader, decoder := bufio.NewReaderSize(bytes.NewReader(stream), 32<<10), eventstream.NewDecoder()
			for range 1000 {
				if _, err := decoder.Decode(reader, payload); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			events := 0
			e := own.NewEvents(func() {}, func([]byte) {}, func() { events++ })
			for piece := range slices.Chunk(stream, 32<<10) {
				e.Write(piece)
			}
			if e.Close() != nil || events != 1000 {
				b.Fatal(events)
			}
		}
		b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
}
