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

// server writes to the connection itself, since net/http does not send invalid responses. It sends good responses before the
// fault, and leaves closing the connection to the client unless the fault closes it.
type server struct {
	listener net.Listener
	op       *operation
	replies  []reply
	fault    *fault
	// repeats plays the fault for every request.
	repeats bool

	// held are both ends of a connection that keeps the closed port from being assigned to another process.
	held     []net.Conn
	serving  sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]bool
	received []string
	took     int // bytes streamed
}

// reply is a good response to one request.
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

// serve answers requests until the client or a fault closes the connection.
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
	// net/http repeats a request when a reused connection fails. The repeated request has to fail too.
	switch due := n == s.op.skip || (n > s.op.skip && s.op.skip > 0) || s.repeats; {
	case due && s.fault.play != nil:
		s.fault.play(x)
	case s.fault.refuses && n < s.op.skip:
		_ = s.listener.Close() // before the response: after it, the client may connect again
		x.respond("HTTP/1.1 200 OK\r\nConnection: close\r\n", x.good.body)
		x.done = true
	default:
		x.send(http.StatusOK, x.good.body)
	}
}

// requests returns the requests received, such as "GET /peers".
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.received...)
}

// close stops the server. It returns the number of connections that the client left open and of bytes that were streamed.
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

// exchange is one request and its response.
type exchange struct {
	net.Conn
	request *http.Request
	op      *operation
	good    reply
	// done is set when the connection must not be used again.
	done     bool
	streamed int
}

// raw writes text unchanged.
func (x *exchange) raw(text string) {
	if _, err := io.WriteString(x, text); err != nil {
		x.done = true
	}
}

// respond writes head, a Content-Length and body.
func (x *exchange) respond(head string, body []byte) {
	x.raw(head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + string(body))
}

// send writes a complete response.
func (x *exchange) send(status int, body []byte) {
	x.respond(statusLine(status)+"Content-Type: "+x.good.contentType+"\r\n", body)
}

func statusLine(status int) string {
	text := strconv.Itoa(1000 + status)[1:] // always three digits
	return "HTTP/1.1 " + text + " " + http.StatusText(status) + "\r\n"
}

// hangUp closes the connection.
func (x *exchange) hangUp() { x.done = true }

// reset closes the connection with a RST.
func (x *exchange) reset() {
	_ = x.Conn.(*net.TCPConn).SetLinger(0)
	x.done = true
}

// waitForClose returns when the client has closed the connection.
func (x *exchange) waitForClose() {
	_, _ = io.Copy(io.Discard, x)
	x.done = true
}

// drip writes text byte by byte, repeatedly, until the client closes the connection.
func (x *exchange) drip(text string) {
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for i := 0; !x.done; i++ {
		<-pace.C
		x.raw(text[i%len(text) : i%len(text)+1])
	}
}

// block is the content of a stream.
var block = bytes.Repeat([]byte(" "), 64<<10)

// stream writes n bytes, or fewer if the client closes the connection. With a negative n it does not end.
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
