// Package streams has the recorded streams of the providers, with content of any length, and what a Stream and ParseResponse read of
// them. The tests of everything that counts a stream compare it with these.
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

// Sizes are the lengths of a content string, and Reads the lengths of a read.
var (
	Sizes = []int{0, 5, 5_000, 20_000, 200_000}
	Reads = []int{512, 4 << 10, 5000, 64 << 10, 1 << 20}
)

// Each calls test with the stream at each length of its content, what is read of it, and each size of a read. A part of the tests has
// every nth combination, which differ between streams, unless whole.Tests.
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
	// URL is the URL of the request, and Request its body.
	URL, Request string
	Body         string
	Complete     bool
}

// recordings is the file of the recorded exchanges in this repository.
const recordings = "discovery/prices/testdata/exchanges.jsonl.gz"

// Recorded returns all recorded streams that were answered with a success.
func Recorded(t testing.TB) (list []Stream) {
	t.Helper()
	file, err := os.Open(recordings)
	for folder := ".."; os.IsNotExist(err) && len(folder) < 30; folder += "/.." { // the folder of the test that runs is one of several
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

// Path returns the path and the query of the request.
func (s Stream) Path() string {
	const scheme = "https://"
	return s.URL[len(scheme)+strings.Index(s.URL[len(scheme):], "/"):]
}

// content is what stands for a text in the recordings.
var content = regexp.MustCompile(`"x{1,41}"`)

// text is like an event and has escapes, so that a reader that searches for either fails.
const text = `data: {\"usage\":{\"output_tokens\":7},\"error\":null}\n\ndata: [DONE]\u00e9 `

// With returns the stream with content strings of a length, as long as there are fewer than 1 MB of them. The last ones come first:
// the final events repeat what came before.
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

// Events returns the data of the events.
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

// Response returns what a [prices.Stream] reads, and checks that ParseResponse reads the same of the whole response.
func (s Stream) Response(t testing.TB) prices.Response {
	t.Helper()
	got := s.Known(t)
	assert.Equal(t, s.Complete, got.Complete)
	if got.Complete {
		body := s.whole(t, s.Events())
		parsed, err := prices.ParseResponse(s.Provider, body)
		require.NoError(t, err, s.Name)
		if strings.Contains(s.URL, "/interactions") { // its searches are in other events
			parsed.Usage.Requests = got.Usage.Requests
		}
		assert.Equal(t, got, parsed, "ParseResponse of %s", s.Name)
	}
	return got
}

// Known returns what a [prices.Stream] reads of a stream that may break off anywhere.
func (s Stream) Known(t testing.TB) prices.Response {
	t.Helper()
	stream := prices.NewStream(s.Provider)
	for _, data := range s.Events() {
		_ = stream.Event([]byte(data)) // the last one may be a part of one
	}
	got, err := stream.Response()
	require.NoError(t, err)
	return got
}

// event has what the events of the APIs have of the whole response.
type event struct {
	Type        string
	Response    json.RawMessage
	Interaction json.RawMessage
	Message     map[string]any
	Usage       map[string]any
}

// whole returns the body that the same response has without a stream.
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

// Check compares the record of a call with the response.
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
	used.Mode, used.Requests = want.Usage.Mode, r.Requests
	assert.Equal(t, want.Usage, used)
	cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: r.Provider, Model: r.Model, Usage: want.Usage, At: r.Time})
	assert.Equal(t, cost.USD, r.USD)
	assert.Equal(t, err == nil, r.Unpriced == "")
}
