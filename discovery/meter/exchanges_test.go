package meter_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// exchange is a recorded exchange with a provider, and what a meter has to make of it.
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
		Provider  discovery.Provider
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
	file, err := os.Open("../testdata/exchanges.jsonl.gz")
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

// provider responds to each request with a recorded response, whose body comes in pieces of one size.
type provider struct {
	exchange *exchange
	size     int
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
	res.Body = io.NopCloser(&pieces{body, p.size})
	return res, nil
}

func packed(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(plain)
	_ = w.Close()
	return b.Bytes()
}

type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// send sends the request of an exchange through a meter and returns its records.
func send(t *testing.T, e *exchange, size int, gzipped bool) (records []meter.Record) {
	t.Helper()
	m, err := meter.New(nil, meter.WithRecorder(func(r meter.Record) { records = append(records, r) }))
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), e.Request.Method, e.Request.URL, strings.NewReader(e.Request.Body))
	require.NoError(t, err)
	from := provider{e, size, gzipped}
	res, err := m.Transport(from).RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	want := []byte(e.Response.Body)
	if gzipped {
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
			}{{1 << 20, false}, {1, false}, {7, false}, {1 << 20, true}, {1, true}} {
				checkRecords(t, &e, send(t, &e, how.size, how.gzip))
			}
		})
	}
}

func checkRecords(t *testing.T, e *exchange, records []meter.Record) {
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
	assert.Equal(t, want.Complete, r.Complete)
	if want.Stream != nil {
		assert.Equal(t, *want.Stream, r.Stream)
	}
	switch {
	case e.Response.Status >= 300:
		assert.Equal(t, "0", r.USD)
	case !want.Complete:
		assert.Empty(t, r.USD)
		assert.NotEmpty(t, r.Unpriced)
	}
	if want.Usage == nil {
		return
	}
	u, err := discovery.ParseUsage(r.Provider, r.Usage)
	require.NoError(t, err)
	got, err := json.Marshal(u)
	require.NoError(t, err)
	var counts map[string]any
	require.NoError(t, json.Unmarshal(got, &counts))
	for name, count := range want.Usage {
		assert.Equal(t, count, counts[name], name)
	}
	if want.Requests != nil {
		requests := r.Requests
		if requests == nil {
			requests = map[string]int64{}
		}
		assert.Equal(t, want.Requests, requests)
	}
	assert.Equal(t, want.Mode, r.Mode)
}
