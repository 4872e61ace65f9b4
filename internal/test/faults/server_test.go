package faults_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// server writes to connections itself, because net/http never sends invalid responses.
// Before the fault it sends good ones. Unless the fault closes a connection, the client
// must.
type server struct {
	listener net.Listener
	op       *operation
	replies  []reply
	fault    *fault
	// repeats plays the fault for every request.
	repeats bool

	// held are both ends of a connection that keeps the OS from giving the closed port to
	// another process.
	held     []net.Conn
	serving  sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]bool
	received []string
	took     int // bytes streamed
}

type reply struct {
	contentType string
	body        []byte
}

// longestTrial ends a trial that would hang.
const longestTrial = time.Minute

func newServer(t *testing.T, op *operation, replies []reply, f *fault) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &server{listener: listener, op: op, replies: replies, fault: f, open: make(map[net.Conn]bool)}
	if f.refuses {
		s.hold(t)
	}
	if f.refuses && op.skip == 0 {
		_ = listener.Close()
		return s
	}
	s.serving.Go(s.accept)
	return s
}

func (s *server) hold(t *testing.T) {
	t.Helper()
	near, err := net.Dial("tcp", s.listener.Addr().String())
	require.NoError(t, err)
	far, err := s.listener.Accept()
	require.NoError(t, err)
	s.held = []net.Conn{near, far}
}

func (s *server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.open[conn] = true
		s.mu.Unlock()
		s.serving.Go(func() { s.serve(conn) })
	}
}

func (s *server) serve(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
	}()
	_ = conn.SetDeadline(time.Now().Add(longestTrial))
	if s.fault.greet != nil {
		s.fault.greet(conn)
		return
	}
	for reader := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		x := &exchange{Conn: conn, request: request, op: s.op}
		s.answer(x)
		s.mu.Lock()
		s.took += x.streamed
		s.mu.Unlock()
		if x.done {
			return
		}
	}
}

func (s *server) answer(x *exchange) {
	s.mu.Lock()
	n := len(s.received)
	s.received = append(s.received, x.request.Method+" "+x.request.URL.Path)
	s.mu.Unlock()
	x.good = s.replies[min(n, len(s.replies)-1)]
	// net/http retries a request if a reused connection fails. The retry must fail, too.
	switch due := n == s.op.skip || (n > s.op.skip && s.op.skip > 0) || s.repeats; {
	case due && s.fault.play != nil:
		s.fault.play(x)
	case s.fault.refuses && n < s.op.skip:
		_ = s.listener.Close() // not after the response: the client may connect again
		x.respond("HTTP/1.1 200 OK\r\nConnection: close\r\n", x.good.body)
		x.done = true
	default:
		x.send(http.StatusOK, x.good.body)
	}
}

// requests returns the received requests, such as "GET /peers".
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.received...)
}

// close returns how many connections the client left open, and how many bytes were
// streamed.
func (s *server) close() (left, streamed int) {
	_ = s.listener.Close()
	done := make(chan struct{})
	go func() { s.serving.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(margin):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left = len(s.open)
	for conn := range s.open {
		_ = conn.Close()
	}
	for _, conn := range s.held {
		_ = conn.Close()
	}
	return left, s.took
}

type exchange struct {
	net.Conn
	request *http.Request
	op      *operation
	good    reply
	// done is set if the connection must not be reused.
	done     bool
	streamed int
}

func (x *exchange) raw(text string) {
	if _, err := io.WriteString(x, text); err != nil {
		x.done = true
	}
}

// respond writes head, a Content-Length and body.
func (x *exchange) respond(head string, body []byte) {
	x.raw(head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + string(body))
}

func (x *exchange) send(status int, body []byte) {
	x.respond(statusLine(status)+"Content-Type: "+x.good.contentType+"\r\n", body)
}

func statusLine(status int) string {
	text := strconv.Itoa(1000 + status)[1:] // always three digits
	return "HTTP/1.1 " + text + " " + http.StatusText(status) + "\r\n"
}

func (x *exchange) hangUp() { x.done = true }

// reset makes closing send a RST.
func (x *exchange) reset() {
	_ = x.Conn.(*net.TCPConn).SetLinger(0)
	x.done = true
}

// waitForClose waits until the client closes the connection.
func (x *exchange) waitForClose() {
	_, _ = io.Copy(io.Discard, x)
	x.done = true
}

// drip repeats text byte by byte until the client closes the connection.
func (x *exchange) drip(text string) {
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for i := 0; !x.done; i++ {
		<-pace.C
		x.raw(text[i%len(text) : i%len(text)+1])
	}
}

// block is streamed repeatedly.
var block = bytes.Repeat([]byte(" "), 64<<10)

// stream writes n bytes, or fewer if the client closes the connection. If n is negative,
// only the client ends it.
func (x *exchange) stream(n int) {
	for n != 0 && !x.done {
		size := len(block)
		if n > 0 {
			size = min(size, n)
			n -= size
		}
		written, err := x.Write(block[:size])
		x.streamed += written
		if err != nil {
			x.done = true
		}
	}
}
