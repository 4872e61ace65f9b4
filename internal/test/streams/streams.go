// Package streams has recorded provider streams with content of any length, and the
// expected results from a Stream and ParseResponse. All tests for code that counts
// streams compare their results with these.
package streams

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// Content lengths and read sizes, in bytes.
var (
	Sizes = []int{0, 5, 5_000, 20_000, 200_000}
	Reads = []int{512, 4 << 10, 5000, 64 << 10, 1 << 20}
)

// Each calls test for combinations of content length and read size. It picks every nth
// combination, different ones for each stream, or all if whole.Tests.
func (s Stream) Each(t testing.TB, nth int, test func(s Stream, want prices.Response, read int)) {
	t.Helper()
	i := len(s.Body) % nth
	for _, size := range Sizes {
		var long Stream
		var want prices.Response
		for _, read := range Reads {
			if i++; i%nth != 0 && !whole.Tests() {
				continue
			}
			if long.Body == "" {
				long = s.With(size)
				want = long.Response(t)
			}
			test(long, want, read)
		}
	}
}

// Stream is a recorded stream.
type Stream struct {
	Name     string
	Provider models.Provider
	// URL and Request are the request's URL and body.
	URL, Request string
	Body         string
	Complete     bool
}

const recordings = "discovery/prices/testdata/exchanges.jsonl.gz"

// Recorded returns all recorded streams with status 200.
func Recorded(t testing.TB) (list []Stream) {
	t.Helper()
	file, err := os.Open(recordings)
	for folder := ".."; os.IsNotExist(err) && len(folder) < 30; folder += "/.." { // tests run in different directories
		file, err = os.Open(filepath.Join(folder, recordings))
	}
	require.NoError(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(plain)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var e struct {
			Name     string
			Request  struct{ URL, Body string }
			Response struct {
				Status  int
				Headers map[string]string
				Body    string
			}
			Expect struct {
				Provider models.Provider
				Complete bool
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		if e.Response.Status == http.StatusOK && strings.HasPrefix(e.Response.Headers["content-type"], "text/event-stream") {
			list = append(list, Stream{e.Name, e.Expect.Provider, e.Request.URL, e.Request.Body, e.Response.Body, e.Expect.Complete})
		}
	}
	require.NoError(t, lines.Err())
	require.Greater(t, len(list), 40)
	return list
}

// Path returns the request's path and query.
func (s Stream) Path() string {
	const scheme = "https://"
	return s.URL[len(scheme)+strings.Index(s.URL[len(scheme):], "/"):]
}

// content matches placeholders for text in the recordings.
var content = regexp.MustCompile(`"x{1,41}"`)

// text looks like an event and has escapes, to catch readers that search for either.
const text = `data: {\"usage\":{\"output_tokens\":7},\"error\":null}\n\ndata: [DONE]\u00e9 `

// With returns the stream with content strings of the given length, up to 1 MB in all. It
// fills the last placeholders first, because the final events repeat earlier ones.
func (s Stream) With(length int) Stream {
	const most = 1 << 20
	places, total := content.FindAllStringIndex(s.Body, -1), 0
	for i := len(places) - 1; i >= 0 && total < most; i-- {
		begin, end := places[i][0], places[i][1]
		if strings.HasPrefix(strings.TrimLeft(s.Body[end:], " "), ":") { // a name
			continue
		}
		long := strings.Repeat(text, length/len(text))
		if long += strings.Repeat("y", length-len(long)); long != "" { // equal queries stay equal
			long += s.Body[begin+1 : end-1]
		}
		s.Body = s.Body[:begin] + `"` + long + `"` + s.Body[end:]
		total += length
	}
	return s
}

// Events returns each event's data.
func (s Stream) Events() (events []string) {
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s.Body)
	for _, event := range strings.Split(lines, "\n\n") {
		var data []string
		for _, line := range strings.Split(event, "\n") {
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
			}
		}
		if len(data) > 0 {
			events = append(events, strings.Join(data, "\n"))
		}
	}
	return events
}

// Response reads the stream with a [prices.Stream], and checks that ParseResponse reads
// the same from the complete response.
func (s Stream) Response(t testing.TB) prices.Response {
	t.Helper()
	got := s.Known(t)
	assert.Equal(t, s.Complete, got.Complete)
	if got.Complete {
		body := s.whole(t, s.Events())
		parsed, err := prices.ParseResponse(s.Provider, body)
		require.NoError(t, err, s.Name)
		if strings.Contains(s.URL, "/interactions") { // other events have its searches
			parsed.Usage.ToolUses = got.Usage.ToolUses
		}
		assert.Equal(t, got, parsed, "ParseResponse of %s", s.Name)
	}
	return got
}

// Known reads a stream that may break off anywhere with a [prices.Stream].
func (s Stream) Known(t testing.TB) prices.Response {
	t.Helper()
	stream := prices.NewStream(s.Provider)
	for _, data := range s.Events() {
		_ = stream.Event([]byte(data)) // the last event may be incomplete
	}
	got, err := stream.Response()
	require.NoError(t, err)
	return got
}

// event holds the members from which the APIs' events build a response.
type event struct {
	Type        string
	Response    json.RawMessage
	Interaction json.RawMessage
	Message     map[string]any
	Usage       map[string]any
}

// whole returns the equivalent body without streaming.
func (s Stream) whole(t testing.TB, events []string) []byte {
	t.Helper()
	if strings.Contains(s.URL, ":streamGenerateContent") {
		return []byte("[" + strings.Join(events, ",") + "]")
	}
	var body []byte
	var message map[string]any
	for _, data := range events {
		var e event
		if json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		switch {
		case e.Response != nil:
			body = e.Response
		case e.Interaction != nil:
			body = e.Interaction
		case e.Message != nil:
			message = e.Message
		case message != nil && e.Usage != nil:
			used, _ := message["usage"].(map[string]any)
			maps.DeleteFunc(e.Usage, func(_ string, v any) bool { return v == nil })
			maps.Copy(used, e.Usage)
		case e.Usage != nil:
			body = []byte(data)
		}
	}
	if message == nil {
		return body
	}
	body, err := json.Marshal(message)
	require.NoError(t, err)
	return body
}

// Check compares a call's record with the response.
func Check(t testing.TB, want prices.Response, r calls.Record) {
	t.Helper()
	assert.True(t, r.Stream)
	assert.Equal(t, want.Complete, !r.Incomplete)
	assert.Equal(t, want.ID, r.ID)
	if want.Model != "" {
		assert.Equal(t, want.Model, r.Model)
	}
	if !want.Complete {
		assert.Empty(t, r.USD)
		assert.NotEmpty(t, r.Unpriced)
		return
	}
	used, err := prices.ParseUsage(r.Provider, r.Usage)
	require.NoError(t, err)
	used.Mode, used.ToolUses = want.Usage.Mode, r.ToolUses
	assert.Equal(t, want.Usage, used)
	cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: r.Provider, Model: r.Model, Usage: want.Usage, At: r.Time})
	assert.Equal(t, cost.USD, r.USD)
	assert.Equal(t, err == nil, r.Unpriced == "")
}
