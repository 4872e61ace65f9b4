package call_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// encodings are ways to send a body.
var encodings = map[string]func(http.ResponseWriter, []byte){
	"declared": func(w http.ResponseWriter, body []byte) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	},
	"chunked": func(w http.ResponseWriter, body []byte) {
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(body)
	},
	"gzip": func(w http.ResponseWriter, body []byte) {
		w.Header().Set("Content-Encoding", "gzip")
		writer := gzip.NewWriter(w)
		_, _ = writer.Write(body)
		_ = writer.Close()
	},
}

func TestLimitIsExact(t *testing.T) {
	t.Parallel()
	const limit = 5000
	for way, send := range encodings {
		for size, fits := range map[int]bool{0: true, 1: true, limit - 1: true, limit: true, limit + 1: false, 20 * limit: false} {
			body := bytes.Repeat([]byte("x"), size)
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) { send(w, body) })
			resp, failed := get(t, url, call.Limits{Timeout: time.Minute, MaxBytes: limit})
			if fits {
				require.Nil(t, failed, "%s %d", way, size)
				assert.Len(t, resp.Body, size, "%s %d", way, size)
				continue
			}
			require.NotNil(t, failed, "%s %d", way, size)
			require.ErrorIs(t, failed, call.ErrTooLarge)
			require.EqualError(t, failed, "response is larger than allowed: more than 5000 bytes")
			assert.Equal(t, 200, failed.Status)
			assert.Empty(t, resp.Body)
		}
	}
}

func TestDeclaredLengthOverTheLimitIsNotRead(t *testing.T) {
	t.Parallel()
	url := serve(t, hijack(t, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\nx"))
	_, failed := get(t, url, call.Limits{MaxBytes: 100})
	require.NotNil(t, failed)
	require.ErrorIs(t, failed, call.ErrTooLarge)
}

// A server may declare any length. Memory use must only depend on received bytes.
func TestDeclaredLengthDoesNotAllocateMemory(t *testing.T) {
	t.Parallel()
	url := serve(t, hijack(t, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000\r\n\r\nx"))
	_, failed := get(t, url, call.Limits{MaxBytes: math.MaxInt64})
	require.NotNil(t, failed)
	assert.EqualError(t, failed, "unexpected EOF")
}

// The limit applies to the decompressed body.
func TestGzipBombIsTooLarge(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { encodings["gzip"](w, make([]byte, 16<<20)) })
	resp, failed := get(t, url, call.Limits{MaxBytes: 1 << 20})
	require.NotNil(t, failed)
	require.ErrorIs(t, failed, call.ErrTooLarge)
	assert.Empty(t, resp.Body)
}

// math.MaxInt64 commonly means "no limit", and limit+1 overflows.
func TestLargestLimitReadsEverything(t *testing.T) {
	t.Parallel()
	for way, send := range encodings {
		body := strings.Repeat("x", 3<<20)
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { send(w, []byte(body)) })
		for _, limit := range []int64{math.MaxInt64, math.MaxInt64 - 1} {
			resp, failed := get(t, url, call.Limits{MaxBytes: limit})
			require.Nil(t, failed, way)
			assert.Len(t, resp.Body, len(body), way)
		}
	}
}

func TestLimitOfZeroAcceptsOnlyAnEmptyBody(t *testing.T) {
	t.Parallel()
	for way, send := range encodings {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { send(w, []byte("x")) })
		_, failed := get(t, url, call.Limits{})
		require.NotNil(t, failed, way)
		require.ErrorIs(t, failed, call.ErrTooLarge, way)
	}
	resp, failed := get(t, serve(t, func(http.ResponseWriter, *http.Request) {}), call.Limits{})
	require.Nil(t, failed, "an empty body")
	assert.Empty(t, resp.Body)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
func (endless) Close() error               { return nil }

// A filter that drops everything needs no memory, but would read forever.
func TestFilteredBodyIsBounded(t *testing.T) {
	t.Parallel()
	limits := call.Limits{MaxBytes: 100, Filter: func(body io.Reader) io.Reader {
		read := int64(0)
		return readerFunc(func(_ []byte) (int, error) {
			n, err := body.Read(make([]byte, 1<<20))
			if read += int64(n); read > 2<<30 {
				t.Error("more than 2 GiB were read")
				return 0, io.EOF
			}
			return 0, err
		})
	}}
	_, failed := call.Do(t.Context(), limits, func(context.Context) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: endless{}, ContentLength: -1}, nil
	})
	require.NotNil(t, failed)
	require.ErrorIs(t, failed, call.ErrTooLarge)
}

// Only the bytes that a filter keeps count.
func TestLimitAppliesToWhatAFilterKeeps(t *testing.T) {
	t.Parallel()
	for keep, fits := range map[int64]bool{100: true, 101: false} {
		limits := call.Limits{MaxBytes: 100, Filter: func(body io.Reader) io.Reader { return io.LimitReader(body, keep) }}
		resp, failed := call.Do(t.Context(), limits, func(context.Context) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: endless{}, ContentLength: 1 << 40}, nil
		})
		if fits {
			require.Nil(t, failed)
			assert.Len(t, resp.Body, 100)
		} else {
			require.ErrorIs(t, failed, call.ErrTooLarge)
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
