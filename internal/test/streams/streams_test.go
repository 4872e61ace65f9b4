package streams_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/streams"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// In any pieces, a random stream must have the same counts, model, mode and cost in a
// Meter, a Stream and ParseResponse.
func TestStreamsAreCountedAlike(t *testing.T) {
	t.Parallel()
	n := uint64(400)
	if whole.Tests() {
		n = 6000
	}
	const workers = 4
	for worker := range uint64(workers) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			server := serve(t)
			for seed := worker; seed < n; seed += workers {
				s := randomStream(seed)
				server.set(s.Body, pieces(s.rand))
				if check(t, s, server.send(t, s, 1+s.rand.IntN(5000))); t.Failed() {
					t.Fatalf("%s:\n%.3000s", s.Name, s.Body)
				}
			}
		})
	}
}

// cuts has the stream's piece sizes.
func FuzzPieces(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(seed, []byte{byte(seed), 0, 200})
	}
	f.Fuzz(func(t *testing.T, seed uint64, cuts []byte) {
		s := randomStream(seed)
		base := transport(func(req *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {"text/event-stream"}}
			return &http.Response{StatusCode: 200, Header: header, Request: req, Body: io.NopCloser(&cutReader{s.Body, cuts})}, nil
		})
		check(t, s, send(t, s, s.URL, base, 1<<20))
	})
}

// check compares a stream's record, and a Stream's result, with the whole answer.
func check(t *testing.T, s *random, r calls.Record) {
	t.Helper()
	want, err := prices.ParseResponse(s.Provider, []byte(s.answer))
	require.NoError(t, err)
	require.True(t, want.Complete)
	stream := prices.NewStream(s.Provider)
	for _, data := range s.events {
		require.NoError(t, stream.Event([]byte(data)))
	}
	got, err := stream.Response()
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.NotEmpty(t, r.USD, r.Unpriced)
	assert.Equal(t, want.Usage.ToolUses, r.ToolUses)
	streams.Check(t, want, r)
}

// pieces returns random piece sizes.
func pieces(random *rand.Rand) []byte {
	sizes := make([]byte, random.IntN(20))
	for i := range sizes {
		sizes[i] = byte(random.Uint32())
	}
	return sizes
}

// server serves one stream at a time.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	body string
	cuts []byte
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		pieces, buffer := &cutReader{s.body, s.cuts}, make([]byte, 1<<20)
		for {
			n, err := pieces.Read(buffer)
			if err != nil {
				return
			}
			_, _ = w.Write(buffer[:n])
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) set(body string, cuts []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body, s.cuts = body, cuts
}

// send requests the stream through a meter and reads read bytes at a time.
func (s *server) send(t *testing.T, r *random, read int) calls.Record {
	t.Helper()
	host := meter.WithEndpoint(meter.Endpoint{Host: s.Listener.Addr().String(), API: r.Provider})
	return send(t, r, s.URL+r.Path(), s.Client().Transport, read, host)
}

func send(t *testing.T, r *random, url string, base http.RoundTripper, read int, opts ...meter.Option) calls.Record {
	t.Helper()
	var records []calls.Record
	m, err := meter.New(append(opts, meter.WithRecorder(func(r calls.Record) { records = append(records, r) }))...)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(r.Request))
	require.NoError(t, err)
	res, err := m.Transport(base).RoundTrip(req)
	require.NoError(t, err)
	var body strings.Builder
	_, err = io.CopyBuffer(struct{ io.Writer }{&body}, struct{ io.Reader }{res.Body}, make([]byte, read))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, r.Body, body.String())
	require.Len(t, records, 1)
	return records[0]
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

// cutReader reads text in pieces. Their sizes minus 1 are in cuts; the rest follows at
// once.
type cutReader struct {
	text string
	cuts []byte
}

func (r *cutReader) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	size := len(p)
	if len(r.cuts) > 0 {
		size, r.cuts = min(size, int(r.cuts[0])+1), r.cuts[1:]
	}
	n := copy(p[:size], r.text)
	r.text = r.text[n:]
	return n, nil
}
