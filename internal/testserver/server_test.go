package testserver_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

type operation string

const (
	read  operation = "read"
	write operation = "write"
)

// server has two operations. effects counts how often write took effect.
type server struct {
	*testserver.Server[operation, string]
	t       *testing.T
	url     string
	http    http.Client
	effects int
}

func listen[Op ~string, R any](t *testing.T, s *testserver.Server[Op, R], handler http.Handler) string {
	t.Helper()
	url, err := s.Listen("", handler)
	require.NoError(t, err)
	return url
}

// start serves answer at /read.
func start(t *testing.T, answer testserver.Response) *server {
	t.Helper()
	s := &server{t: t, Server: testserver.New(func(op operation, r *http.Request, body []byte) string {
		return string(op) + " " + r.Method + " " + string(body)
	})}
	mux := http.NewServeMux()
	mux.HandleFunc("/read", s.Handle(read, func(*http.Request) testserver.Response { return answer }))
	mux.HandleFunc("/write", s.Handle(write, func(r *http.Request) testserver.Response {
		body, err := io.ReadAll(r.Body)
		s.effects++
		return testserver.Response{Status: 201, Body: map[string]any{"echo": string(body), "err": err}}
	}))
	s.url = listen(t, s.Server, mux)
	transport := new(http.Transport)
	s.http.Transport = transport
	t.Cleanup(func() { transport.CloseIdleConnections(); s.Close(); s.Close() })
	return s
}

type reply struct {
	status      int
	contentType []string
	body        string
	err         error
}

func (s *server) send(path, body string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	resp, err := s.http.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header["Content-Type"], string(text), err}
}

func TestServerReturnsTheScriptedResponses(t *testing.T) {
	t.Parallel()
	inJSON, inText := []string{"application/json"}, []string{"text/plain; charset=utf-8"}
	for name, test := range map[string]struct {
		answer testserver.Response
		want   reply
	}{
		"JSON":         {testserver.Response{Status: 200, Body: map[string]int{"n": 1}}, reply{200, inJSON, "{\"n\":1}\n", nil}},
		"raw JSON":     {testserver.Response{Status: 200, Body: json.RawMessage(` [ 1,"<&>" ]`)}, reply{200, inJSON, ` [ 1,"<&>" ]`, nil}},
		"text":         {testserver.Response{Status: 500, Text: "oh"}, reply{500, inText, "oh", nil}},
		"nothing":      {testserver.Response{Status: 404}, reply{404, inText, "", nil}},
		"not modified": {testserver.Response{Status: 304}, reply{304, nil, "", nil}},
		"another type": {
			testserver.Response{Status: 200, Header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, Body: []int{}},
			reply{200, []string{"application/json; charset=UTF-8"}, "[]\n", nil},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, start(t, test.answer).send("/read", ""))
		})
	}
}

func TestBodyIsRecordedAndReadable(t *testing.T) {
	t.Parallel()
	s := start(t, testserver.Response{Status: 200})
	assert.Empty(t, s.Requests())
	assert.JSONEq(t, `{"echo":"hello","err":null}`, s.send("/write", "hello").body)
	s.send("/read", "")
	assert.Equal(t, []string{"write POST hello", "read POST "}, s.Requests())
	assert.Equal(t, []string{"read POST "}, s.Requests(read))
	all := s.Requests()
	all[0] = "changed"
	assert.Equal(t, "write POST hello", s.Requests()[0])
}

func TestFaults(t *testing.T) {
	t.Parallel()
	s := start(t, testserver.Response{Status: 200, Text: "fine"})
	s.Fail(write, testserver.Fault{Times: 2, Status: 503, Body: "late", Delay: 1})
	s.Fail(write, testserver.Fault{AfterEffect: true, HangUp: true})
	s.Fail(write, testserver.Fault{HangUp: true, Body: "half", Header: http.Header{"content-type": {"text/html"}}})
	s.Fail(write, testserver.Fault{Delay: time.Millisecond})
	for range 2 {
		assert.Equal(t, reply{503, []string{"text/plain; charset=utf-8"}, "late", nil}, s.send("/write", ""))
	}
	assert.Zero(t, s.effects)
	require.ErrorIs(t, s.send("/write", "").err, io.ErrUnexpectedEOF)
	assert.Equal(t, 1, s.effects)
	assert.Equal(t, reply{200, []string{"text/html"}, "half", io.ErrUnexpectedEOF}, s.send("/write", ""))
	assert.Equal(t, 201, s.send("/write", "").status, "late, and fine")
	assert.Equal(t, 2, s.effects)
	s.Fail(write, testserver.Fault{Times: -1, Status: 500})
	assert.Equal(t, 500, s.send("/write", "").status)
	assert.Equal(t, "fine", s.send("/read", "").body)
	s.Heal()
	assert.Equal(t, 201, s.send("/write", "").status)
}

func TestFaultsOfAStream(t *testing.T) {
	t.Parallel()
	plain := []string{"text/plain; charset=utf-8"}
	s := start(t, testserver.Response{Status: 201, Events: []string{"one ", "two ", "three"}})
	for _, test := range []struct {
		fault testserver.Fault
		want  reply
	}{
		{testserver.Fault{Delay: 1}, reply{201, plain, "one two three", nil}},
		{testserver.Fault{AfterEvents: 2}, reply{201, plain, "one two ", nil}},
		{testserver.Fault{AfterEvents: 2, Delay: 1}, reply{201, plain, "one two three", nil}},
		{testserver.Fault{AfterEvents: 1, Body: "error", Delay: 1}, reply{201, plain, "one error", nil}},
		{testserver.Fault{AfterEvents: 1, HangUp: true}, reply{201, plain, "one ", io.ErrUnexpectedEOF}},
		{testserver.Fault{AfterEvents: 9, HangUp: true, Status: 500}, reply{201, plain, "one two three", io.ErrUnexpectedEOF}},
		{testserver.Fault{Status: 503, Body: "down"}, reply{503, plain, "down", nil}},
	} {
		s.Fail(read, test.fault)
		assert.Equal(t, test.want, s.send("/read", ""), "%+v", test.fault)
	}
	s.Fail(write, testserver.Fault{AfterEvents: 1, HangUp: true, AfterEffect: true})
	assert.Equal(t, 201, s.send("/write", "").status, "the response isn't a stream")
	assert.Equal(t, 1, s.effects)
}

func TestFaultOfAnUnknownOperationPanics(t *testing.T) {
	t.Parallel()
	s := start(t, testserver.Response{Status: 200, Text: "fine"})
	assert.PanicsWithValue(t, `Fail: unknown operation "raed", want one of ["read" "write"]`, func() { s.Fail("raed", testserver.Fault{Status: 500}) })
	assert.PanicsWithValue(t, "Fail: invalid status 99", func() { s.Fail(read, testserver.Fault{Status: 99}) })
	assert.PanicsWithValue(t, "Fail: invalid status 1000", func() { s.Fail(read, testserver.Fault{Status: 1000}) })
	assert.Equal(t, "fine", s.send("/read", "").body, "nothing is scheduled, and nothing is locked")
}

func TestCloseEndsADelay(t *testing.T) {
	t.Parallel()
	s := start(t, testserver.Response{Status: 200})
	s.Fail(read, testserver.Fault{Delay: time.Hour})
	done := make(chan error, 1)
	go func() { done <- s.send("/read", "").err }()
	require.Eventually(t, func() bool { return len(s.Requests()) == 1 }, time.Hour, time.Millisecond)
	s.Close()
	require.Error(t, <-done)
}

// On a busy machine, any server may be slow to close, so one in ten must be fast.
func TestCloseDoesNotWaitForAnUnusedConnection(t *testing.T) {
	t.Parallel()
	for range 10 {
		s := start(t, testserver.Response{Status: 200})
		dialer := new(net.Dialer)
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		require.NoError(t, err)
		defer conn.Close()
		s.send("/read", "") // the server accepts connections in order
		before := time.Now()
		s.Close()
		took := time.Since(before)
		_, err = conn.Read(make([]byte, 1))
		require.Error(t, err)
		if took < 4*time.Second {
			return
		}
	}
	assert.Fail(t, "Close waits for connections without a request, as Shutdown does for five seconds")
}

func TestCloseWaitsForARequest(t *testing.T) {
	t.Parallel()
	s := testserver.New(func(operation, *http.Request, []byte) string { return "" })
	arrived, proceed, closed := make(chan struct{}), make(chan struct{}), make(chan struct{})
	url := listen(t, s, s.Handle(read, func(*http.Request) testserver.Response {
		close(arrived)
		<-proceed
		return testserver.Response{Status: 200, Text: "fine"}
	}))
	got := make(chan reply, 1)
	go func() { got <- (&server{t: t, Server: s, url: url}).send("/read", "") }()
	<-arrived
	go func() { s.Close(); close(closed) }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, time.Hour, time.Millisecond)
	select {
	case <-closed:
		assert.Fail(t, "Close returned before the request was answered")
	default:
	}
	close(proceed)
	assert.Equal(t, "fine", (<-got).body)
	<-closed
}

func TestListenReturnsTheErrorOfItsAddress(t *testing.T) {
	t.Parallel()
	s := start(t, testserver.Response{Status: 200})
	other := testserver.New(func(operation, *http.Request, []byte) string { return "" })
	_, err := other.Listen(strings.TrimPrefix(s.url, "http://"), http.NotFoundHandler())
	require.Error(t, err)
	other.Close()
}

// An incomplete request must not be recorded or use up a fault.
func TestIncompleteRequestIsIgnored(t *testing.T) {
	t.Parallel()
	s := start(t, testserver.Response{Status: 200, Text: "fine"})
	s.Fail(write, testserver.Fault{Status: 503})
	dialer := new(net.Dialer)
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /write HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\nConnection: close\r\n\r\nshort")
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	_, err = io.Copy(io.Discard, conn)
	require.NoError(t, err, "the server hangs up after it has handled the request")
	assert.Empty(t, s.Requests())
	assert.Zero(t, s.effects)
	assert.Equal(t, 503, s.send("/write", "").status)
}
