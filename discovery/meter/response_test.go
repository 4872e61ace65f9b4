package meter_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// exchange is a recorded exchange with a provider, and the record that it should yield.
type exchange struct {
	Name    string
	Request struct {
		Method, URL string
		Headers     map[string]string
		Body        string
	}
	Response struct {
		Status  int
		Headers map[string]string
		Body    string
	}
	Expect struct {
		Provider  models.Provider
		Model, ID string
		Stream    *bool
		Metered   bool
		Complete  bool
		Usage     map[string]any
		Mode      string
		Requests  map[string]int64
	}
}

func exchanges(t testing.TB) (list []exchange) {
	t.Helper()
	file, err := os.Open("../prices/testdata/exchanges.jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(packed)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var e exchange
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		list = append(list, e)
	}
	require.NoError(t, lines.Err())
	return list
}

// provider replays a recorded response in pieces; the sizes repeat.
type provider struct {
	exchange *exchange
	sizes    []int
	gzip     bool
}

func (p provider) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
		req.Body.Close()
	}
	recorded := p.exchange.Response
	res := &http.Response{StatusCode: recorded.Status, Header: http.Header{}, Request: req}
	for name, value := range recorded.Headers {
		res.Header.Set(name, value)
	}
	body := []byte(recorded.Body)
	if p.gzip {
		body = packed(body)
		res.Header.Set("Content-Encoding", "gzip")
	}
	res.Body = io.NopCloser(&pieces{body, p.sizes, 0})
	return res, nil
}

func packed(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(plain)
	_ = w.Close()
	return b.Bytes()
}

// pieces is a body whose reads cycle through the given sizes.
type pieces struct {
	rest  []byte
	sizes []int
	reads int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.sizes[p.reads%len(p.sizes)], len(p.rest))])
	p.reads++
	p.rest = p.rest[n:]
	return n, nil
}

// send sends an exchange's request through a meter and returns its records. Each read
// returns size bytes.
func send(t *testing.T, e *exchange, size int, gzipped bool) []calls.Record {
	t.Helper()
	return sendThrough(t, e, provider{e, []int{size}, gzipped})
}

// sendCut is send with varying sizes.
func sendCut(t *testing.T, e *exchange, cuts []byte, gzipped bool) []calls.Record {
	t.Helper()
	sizes := []int{3}
	for _, size := range cuts {
		sizes = append(sizes, int(size)+1)
	}
	return sendThrough(t, e, provider{e, sizes, gzipped})
}

func sendThrough(t *testing.T, e *exchange, from provider) (records []calls.Record) {
	t.Helper()
	m, err := meter.New(meter.WithRecorder(func(r calls.Record) { records = append(records, r) }))
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), e.Request.Method, e.Request.URL, strings.NewReader(e.Request.Body))
	require.NoError(t, err)
	res, err := m.Transport(from).RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	want := []byte(e.Response.Body)
	if from.gzip {
		want = packed(want)
	}
	require.True(t, bytes.Equal(want, body), "the bytes are unchanged")
	return records
}

func TestRecordsOfRecordedExchanges(t *testing.T) {
	t.Parallel()
	for _, e := range exchanges(t) {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			for _, how := range []struct {
				size int
				gzip bool
			}{{1 << 20, false}, {7, false}, {1 << 20, true}, {1, false}, {1, true}}[:whole.Cases(5, 3)] {
				checkRecords(t, &e, send(t, &e, how.size, how.gzip))
			}
		})
	}
}

func checkRecords(t *testing.T, e *exchange, records []calls.Record) {
	t.Helper()
	want := e.Expect
	if !want.Metered {
		require.Empty(t, records)
		return
	}
	require.Len(t, records, 1)
	r := records[0]
	assert.Equal(t, want.Provider, r.Provider)
	assert.Equal(t, want.Model, r.Model)
	assert.Equal(t, want.ID, r.ID)
	assert.Equal(t, e.Response.Status, r.Status)
	assert.Equal(t, want.Complete, !r.Incomplete)
	if want.Stream != nil {
		assert.Equal(t, *want.Stream, r.Stream)
	}
	switch {
	case e.Response.Status >= 300:
		assert.EqualValues(t, "0", r.USD)
	case !want.Complete:
		assert.Empty(t, r.USD)
		assert.NotEmpty(t, r.Unpriced)
	}
	if want.Usage == nil {
		return
	}
	u, err := prices.ParseUsage(r.Provider, r.Usage)
	require.NoError(t, err)
	got, err := json.Marshal(withoutMedia(u))
	require.NoError(t, err)
	var counts map[string]any
	require.NoError(t, json.Unmarshal(got, &counts))
	for name, count := range want.Usage {
		assert.Equal(t, count, counts[name], name)
	}
	if want.Requests != nil {
		requests := r.ToolUses
		if requests == nil {
			requests = map[string]int64{}
		}
		assert.Equal(t, want.Requests, requests)
	}
	if r.Mode != "peak" && r.Mode != "off-peak" { // DeepSeek's prices depend on the hour
		assert.Equal(t, want.Mode, r.Mode)
	}
}

// The last event may lack counts, or a candidate may not have ended: the record has the
// newest counts.
func TestTheNewestCountsOfACutStreamAreRecorded(t *testing.T) {
	t.Parallel()
	event := func(candidates string, tokens int) string {
		return fmt.Sprintf(`data: {"candidates":[%s],"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":%d,"totalTokenCount":%d},`+
			`"modelVersion":"gemini-3-flash-preview","responseId":"r"}`+"\n\n", candidates, tokens, 8+tokens)
	}
	e := &exchange{}
	e.Request.Method, e.Request.URL = http.MethodPost, "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse"
	e.Response.Status, e.Response.Headers = 200, map[string]string{"Content-Type": "text/event-stream"}
	for name, last := range map[string]string{"delayed": event("{}", 30), "one of two": event(`{"finishReason":"STOP"},{}`, 30)} {
		e.Response.Body = event("{}", 10) + event("{}", 20) + last
		records := send(t, e, 1<<20, false)
		require.Len(t, records, 1, name)
		assert.True(t, records[0].Incomplete, name)
		assert.Contains(t, string(records[0].Usage), `"totalTokenCount":38`, name)
	}
}

// FuzzReading sends a body through a meter in one piece, in pieces sized by cuts, and
// compressed. The records are the same. A complete JSON body has the same counts as in
// ParseResponse.
func FuzzReading(f *testing.F) {
	for i, e := range exchanges(f) {
		if e.Expect.Metered && len(e.Response.Body) < 4<<10 {
			f.Add(i, e.Response.Body, []byte{byte(i), 0, 200})
		}
	}
	list := exchanges(f)
	f.Fuzz(func(t *testing.T, number int, body string, cuts []byte) {
		e := list[uint(number)%uint(len(list))]
		e.Response.Body = body
		whole := send(t, &e, 1<<20, false)
		assert.Equal(t, withoutTimes(whole), withoutTimes(sendCut(t, &e, cuts, false)), "in pieces")
		assert.Equal(t, withoutTimes(whole), withoutTimes(sendCut(t, &e, cuts, true)), "compressed")
		checkParsed(t, &e, whole)
	})
}

// checkParsed compares a record with ParseResponse. A meter doesn't decode escaped names.
func checkParsed(t *testing.T, e *exchange, records []calls.Record) {
	t.Helper()
	sse := strings.HasPrefix(e.Response.Headers["content-type"], "text/event-stream")
	if len(records) == 0 || sse || records[0].Stream || records[0].Status != 200 || strings.ContainsRune(e.Response.Body, '\\') {
		return
	}
	r := records[0]
	parsed, err := prices.ParseResponse(r.Provider, []byte(e.Response.Body))
	if err != nil || !strings.HasPrefix(strings.TrimSpace(e.Response.Body), "{") {
		return
	}
	assert.Equal(t, parsed.Complete, !r.Incomplete)
	assert.Equal(t, parsed.ID, r.ID)
	if !r.Incomplete {
		got, err := prices.ParseUsage(r.Provider, r.Usage)
		require.NoError(t, err)
		got.Mode, got.ToolUses = parsed.Usage.Mode, parsed.Usage.ToolUses
		assert.Equal(t, parsed.Usage, got)
	}
}

// withoutTimes clears everything that depends on the time.
func withoutTimes(records []calls.Record) []calls.Record {
	for i := range records {
		records[i].Time, records[i].Duration = time.Time{}, 0
		if records[i].Mode == "peak" || records[i].Mode == "off-peak" {
			records[i].Mode = ""
		}
	}
	return records
}

// Gemini's model status is in the body, or in the newest stream event that has one. An
// invalid time is left out.
func TestStatusOfTheModelIsRecorded(t *testing.T) {
	t.Parallel()
	const counts = `"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":4,"totalTokenCount":12},"modelVersion":"gemini-3.8-flash","responseId":"r"`
	event := func(finish, status string) string {
		return `{"candidates":[{"content":{"parts":[{"text":"a"}]}` + finish + `}],` + counts + `,"modelStatus":` + status + `}`
	}
	const stop = `,"finishReason":"STOP"`
	for status, want := range map[string][2]string{
		`{"modelStage":"LEGACY","retirementTime":"2027-03-31T23:00:00-07:00","message":"m"}`: {"LEGACY", "2027-04-01"},
		`{"modelStage":"STABLE"}`:                             {"STABLE", ""},
		`{"retirementTime":"2027-03-31T00:00:00.123456789Z"}`: {"", "2027-03-31"},
		`{"retirementTime":"soon"}`:                           {}, "null": {}, `"LEGACY"`: {}, `{"modelStage":8}`: {},
	} {
		e := exchange{}
		e.Request.Method, e.Request.URL = http.MethodPost, "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:generateContent"
		e.Response.Status, e.Response.Headers = 200, map[string]string{"Content-Type": "application/json"}
		e.Response.Body = event(stop, status)
		for _, size := range []int{1, 1 << 20} {
			records := send(t, &e, size, false)
			require.Len(t, records, 1)
			assert.Equal(t, want, [2]string{records[0].ModelStage, records[0].RetirementDate}, status)
			assert.False(t, records[0].Incomplete)
		}
		e.Request.URL = strings.Replace(e.Request.URL, ":generateContent", ":streamGenerateContent?alt=sse", 1)
		e.Response.Headers["Content-Type"] = "text/event-stream"
		e.Response.Body = "data: " + event("", `{"modelStage":"PREVIEW"}`) + "\n\ndata: " + event("", status) + "\n\ndata: " + event(stop, "null") + "\n\n"
		if want == ([2]string{}) && !strings.Contains(status, "soon") {
			want[0] = "PREVIEW"
		}
		records := send(t, &e, 7, false)
		require.Len(t, records, 1)
		assert.Equal(t, want, [2]string{records[0].ModelStage, records[0].RetirementDate}, status)
	}
}

// withoutMedia counts the prompt's images and videos as text, like the recordings.
func withoutMedia(u prices.Usage) prices.Usage {
	u.Input += u.ImageInput + u.VideoInput
	u.CacheRead += u.ImageCacheRead + u.VideoCacheRead
	u.ImageInput, u.VideoInput, u.ImageCacheRead, u.VideoCacheRead = 0, 0, 0, 0
	return u
}
