package eventstream_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// header returns a header with a string value.
func header(name, value string) string {
	return string(rune(len(name))) + name + "\x07" + string(binary.BigEndian.AppendUint16(nil, uint16(len(value)))) + value
}

// message adds correct lengths and checksums.
func message(headers, payload string) []byte {
	m := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, headers...), payload...)
	return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
}

// read returns a line per complete message. The stream arrives size bytes at a time.
func read(stream []byte, size int) ([]string, error) {
	var all []string
	var now strings.Builder
	r := eventstream.Reader{
		Begin:   func(h eventstream.Headers) { now.Reset(); fmt.Fprintf(&now, "%+v ", h) },
		Payload: func(p []byte) { now.Write(p) },
		End:     func() { all = append(all, now.String()) },
	}
	for piece := range slices.Chunk(stream, size) {
		r.Write(piece)
	}
	return all, r.Close()
}

func TestReaderReadsMessagesInPiecesOfAnySize(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var stream []byte
	var want []string
	for range 50 {
		payload := strings.Repeat("x", random.IntN(300)*random.IntN(2))
		stream = append(stream, message(header(":message-type", "event")+header(":event-type", "chunk")+header("other", "y"), payload)...)
		want = append(want, "{MessageType:event EventType:chunk ExceptionType: ErrorCode:} "+payload)
	}
	for _, size := range []int{1, 2, 7, 12, 16, 100, len(stream)} {
		got, err := read(stream, size)
		require.NoError(t, err)
		assert.Equal(t, want, got, "pieces of %d bytes", size)
	}
}

func TestReaderReadsEveryTypeOfHeader(t *testing.T) {
	t.Parallel()
	headers := "\x01a\x00" + "\x01b\x01" + "\x01c\x02x" + "\x01d\x03xx" + "\x01e\x04xxxx" + "\x01f\x05xxxxxxxx" + "\x01g\x06\x00\x02xx" +
		"\x01h\x08xxxxxxxx" + "\x01i\x09xxxxxxxxxxxxxxxx" + "\x0b:error-code\x01" + header(":message-type", "exception") + header(":exception-type", "throttlingException")
	got, err := read(message(headers, ""), 5)
	require.NoError(t, err)
	assert.Equal(t, []string{"{MessageType:exception EventType: ExceptionType:throttlingException ErrorCode:} "}, got)
	got, err = read(message("", "p"), 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"{MessageType: EventType: ExceptionType: ErrorCode:} p"}, got)
}

func TestReaderRefuses(t *testing.T) {
	t.Parallel()
	good := message(header(":message-type", "event"), "payload")
	changed := func(at int) []byte {
		m := bytes.Clone(good)
		m[at] ^= 1
		return m
	}
	prelude := func(length, headers uint32) []byte {
		m := binary.BigEndian.AppendUint32(nil, length)
		m = binary.BigEndian.AppendUint32(m, headers)
		return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	}
	for name, row := range map[string]struct {
		stream []byte
		text   string
	}{
		"prelude's checksum": {changed(9), "wrong checksum"},
		"length":             {changed(3), "wrong checksum"},
		"header":             {changed(13), "wrong checksum"},
		"payload":            {changed(len(good) - 6), "wrong checksum"},
		"checksum":           {changed(len(good) - 1), "wrong checksum"},
		"2 GiB":              {prelude(2<<30-1, 0), "more than 16 MiB"},
		"4 GiB of headers":   {prelude(100, 1<<32-1), "headers more than 8 KiB"},
		"headers too long":   {prelude(100, 85), "invalid length"},
		"too short":          {prelude(15, 0), "invalid length"},
		"cut":                {good[:len(good)-1], "ends within a message"},
		"cut in the prelude": {good[:3], "ends within a message"},
		"type of a header":   {message("\x01a\x0a", ""), "malformed headers"},
		"length of a name":   {message("\x09a", ""), "malformed headers"},
		"length of a value":  {message("\x01a\x07\x00\x09x", ""), "malformed headers"},
		"no type":            {message("\x01a", ""), "malformed headers"},
		"half a length":      {message("\x01a\x07\x00", ""), "malformed headers"},
	} {
		for _, size := range []int{1, len(row.stream)} {
			got, err := read(append(message("", "first"), row.stream...), size)
			require.ErrorContains(t, err, row.text, name)
			assert.Len(t, got, 1, name)
		}
	}
}

// Piece sizes must not matter. Package internal/test/sdks compares our reader with the
// AWS one.
func FuzzReader(f *testing.F) {
	f.Add(append(message(header(":event-type", "chunk"), "payload"), message("", "")...), 3)
	f.Add(message("\x01a\x00", "x"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		whole, wholeErr := read(stream, max(len(stream), 1))
		pieces, err := read(stream, 1+int(uint(size)%100))
		assert.Equal(t, whole, pieces)
		assert.Equal(t, wholeErr, err)
	})
}

func BenchmarkReader(b *testing.B) {
	stream := bytes.Repeat(message(header(":message-type", "event")+header(":event-type", "chunk"), strings.Repeat("x", 300)), 1000)
	r := eventstream.Reader{Begin: func(eventstream.Headers) {}, Payload: func([]byte) {}, End: func() {}}
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		for piece := range slices.Chunk(stream, 4096) {
			r.Write(piece)
		}
	}
	require.NoError(b, r.Close())
}

func TestIndexEither(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 9)
	for _, text := range []string{"", "a", "\n", "\r", "a\n\r", "a\r\n", long, long + "\n", long + "\r\n", long + long + "\r"} {
		want := strings.IndexAny(text, "\r\n")
		if want < 0 {
			want = len(text)
		}
		for block := 1; block < 12; block++ {
			assert.Equal(t, want, eventstream.IndexEither([]byte(text), '\n', '\r', block), "%q, %d", text, block)
		}
	}
}
