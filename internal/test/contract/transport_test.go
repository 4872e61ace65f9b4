package contract_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

const base = "/gateway/v1"

type reports struct {
	mu  sync.Mutex
	all []string
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, err.Error())
}

// checked serves handler below the base path. The client's exchanges are checked.
func checked(t *testing.T, checker *contract.Checker, handler http.HandlerFunc) (string, *http.Client, *reports) {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix(base, handler))
	t.Cleanup(server.Close)
	found := new(reports)
	return server.URL + base, &http.Client{Transport: checker.Transport(server.Client().Transport, base, found.add)}, found
}

func answerWith(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func newRequest(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+strings.Repeat("example.", 3))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

func exchange(t *testing.T, client *http.Client, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(body)
}

func TestTransportPassesValidExchangesUnchanged(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	var path, sent, length string
	url, client, found := checked(t, checker, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		path, sent, length = r.URL.String(), string(body), strconv.FormatInt(r.ContentLength, 10)
		w.Header().Set("X-Trace", "kept")
		answerWith(200, inJSON, " "+receipt+"\n\n")(w, r)
	})
	body := goodMessage + " \n" // to be sent byte for byte, white space included
	resp, got := exchange(t, client, newRequest(t, "POST", url+"/messages", strings.NewReader(body)))
	assert.Equal(t, " "+receipt+"\n\n", got)
	assert.Equal(t, 200, resp.StatusCode)
	assert.Equal(t, "kept", resp.Header.Get("X-Trace"))
	assert.Equal(t, "/messages", path)
	assert.Equal(t, body, sent)
	assert.Equal(t, strconv.Itoa(len(body)), length)
	assert.Empty(t, found.all)
	assert.NotContains(t, checker.Unexercised(), "sendMessage")
}

func TestTransportReportsInvalidRequests(t *testing.T) {
	t.Parallel()
	url, client, found := checked(t, newChecker(t), answerWith(200, inJSON, `{"messages":[]}`))
	_, got := exchange(t, client, newRequest(t, "GET", url+"/messages?nonesuch=node-a&to=node-a", nil))
	assert.JSONEq(t, `{"messages":[]}`, got, "a violation is reported, and the exchange continues")
	require.Len(t, found.all, 1)
	assert.Contains(t, found.all[0], `unknown query parameter "nonesuch"`)
}

func TestTransportReportsInvalidResponses(t *testing.T) {
	t.Parallel()
	url, client, found := checked(t, newChecker(t), answerWith(200, inJSON, `{"peers":[{"name":"a","enabled":2}]}`))
	_, got := exchange(t, client, newRequest(t, "GET", url+"/peers", nil))
	assert.JSONEq(t, `{"peers":[{"name":"a","enabled":2}]}`, got)
	require.Len(t, found.all, 1)
	assert.Contains(t, found.all[0], `"/peers/0/enabled"`)
}

func TestTransportReportsARequestOutsideTheBasePath(t *testing.T) {
	t.Parallel()
	url, client, found := checked(t, newChecker(t), answerWith(200, inJSON, `{"peers":[]}`))
	resp, _ := exchange(t, client, newRequest(t, "GET", strings.TrimSuffix(url, base)+"/peers", nil))
	assert.Equal(t, 404, resp.StatusCode)
	require.Len(t, found.all, 1)
	assert.Contains(t, found.all[0], "/peers: not below /gateway/v1")
}

// A truncated response has a status and a partial body. To clients, that differs from no
// response.
func TestTransportPassesABrokenResponse(t *testing.T) {
	t.Parallel()
	url, client, found := checked(t, newChecker(t), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", inJSON)
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"peers":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	resp, err := client.Do(newRequest(t, "GET", url+"/peers", nil))
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
	got, err := io.ReadAll(resp.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, `{"peers":`, string(got))
	assert.Empty(t, found.all, "half a body must not be checked")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestTransportPassesNetworkErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	found := new(reports)
	transport := newChecker(t).Transport(roundTripper(func(*http.Request) (*http.Response, error) { return nil, broken }), base, found.add)
	_, err := transport.RoundTrip(newRequest(t, "GET", "http://127.0.0.1"+base+"/peers", nil))
	require.ErrorIs(t, err, broken)
	assert.Empty(t, found.all)
	_, err = transport.RoundTrip(newRequest(t, "GET", "http://127.0.0.1"+base+"/messages?to=", nil))
	require.ErrorIs(t, err, broken)
	require.Len(t, found.all, 1, "the request is checked")
	assert.Contains(t, found.all[0], `"to" in query`)
}

// closing records whether a body was closed: a RoundTripper must always close it.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestTransportClosesTheBodyAndLeavesTheRequestAlone(t *testing.T) {
	t.Parallel()
	unreadable := errors.New("unreadable")
	reached := 0
	transport := newChecker(t).Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		reached++
		return nil, context.Canceled
	}), base, func(error) {})
	for _, reader := range []io.Reader{strings.NewReader(goodMessage), strings.NewReader(""), iotest.ErrReader(unreadable)} {
		body := &closing{Reader: reader}
		req := newRequest(t, "POST", "http://127.0.0.1"+base+"/messages", body)
		_, err := transport.RoundTrip(req)
		require.Error(t, err)
		assert.True(t, body.closed)
		assert.Same(t, body, req.Body)
		assert.Equal(t, base+"/messages", req.URL.Path)
	}
	assert.Equal(t, 2, reached, "a request with an unreadable body must not be sent")
}
