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

// front is a server that writes to the bare connection, because net/http would not let it lie. It answers requests well
// until the fault is due, and leaves closing a connection to the client, unless the fault is to close it.
type front struct {
	listener net.Listener
	op       *operation
	tape     []reply
	fault    *fault

	// held are both ends of a connection that keeps a port where nobody listens any more from being given to somebody else.
	held    []net.Conn
	serving sync.WaitGroup
	mu      sync.Mutex
	open    map[net.Conn]bool
	asked   []string
	took    int // bytes that were streamed
}

// reply is a good answer to one request of an operation.
type reply struct {
	contentType string
	body        []byte
}

// longestCell ends what would hang a test for ever.
const longestCell = 30 * time.Second

func newFront(t *testing.T, op *operation, tape []reply, f *fault) *front {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &front{listener: listener, op: op, tape: tape, fault: f, open: make(map[net.Conn]bool)}
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

func (s *front) hold(t *testing.T) {
	t.Helper()
	near, err := net.Dial("tcp", s.listener.Addr().String())
	require.NoError(t, err)
	far, err := s.listener.Accept()
	require.NoError(t, err)
	s.held = []net.Conn{near, far}
}

func (s *front) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.open[conn] = true
		s.mu.Unlock()
		s.serving.Go(func() { s.converse(conn) })
	}
}

// converse answers requests until the client closes the connection, or a fault does.
func (s *front) converse(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
	}()
	_ = conn.SetDeadline(time.Now().Add(longestCell))
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
		if x.over {
			return
		}
	}
}

func (s *front) answer(x *exchange) {
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, x.request.Method+" "+x.request.URL.Path)
	s.mu.Unlock()
	x.good = s.tape[min(n, len(s.tape)-1)]
	// net/http asks a second time where a connection it has used before goes bad, and has to find it bad again.
	switch due := n == s.op.skip || (n > s.op.skip && s.op.skip > 0); {
	case due && s.fault.play != nil:
		s.fault.play(x)
	case s.fault.refuses && n < s.op.skip:
		_ = s.listener.Close() // before the answer: with it, the client is free to connect again
		x.say("HTTP/1.1 200 OK\r\nConnection: close\r\n", x.good.body)
		x.over = true
	default:
		x.send(http.StatusOK, x.good.body)
	}
}

// requests is what has arrived, as "GET /peers".
func (s *front) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// close stops listening and reports how many connections the client has left open, when it had time enough to close them.
func (s *front) close() (left int) {
	_ = s.listener.Close()
	done := make(chan struct{})
	go func() { s.serving.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
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
	return left
}

// exchange is one request that is being answered.
type exchange struct {
	net.Conn
	request *http.Request
	op      *operation
	good    reply
	// over is set when the connection is not to be used again.
	over     bool
	streamed int
}

// raw writes text as it is.
func (x *exchange) raw(text string) {
	if _, err := io.WriteString(x, text); err != nil {
		x.over = true
	}
}

// say writes a head without its end, and a body with its length.
func (x *exchange) say(head string, body []byte) {
	x.raw(head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + string(body))
}

// send writes a whole answer.
func (x *exchange) send(status int, body []byte) {
	x.say(statusLine(status)+"Content-Type: "+x.good.contentType+"\r\n", body)
}

func statusLine(status int) string {
	text := strconv.Itoa(1000 + status)[1:] // three digits in any case
	return "HTTP/1.1 " + text + " " + http.StatusText(status) + "\r\n"
}

// hangUp closes the connection in good order.
func (x *exchange) hangUp() { x.over = true }

// reset closes the connection with a RST.
func (x *exchange) reset() {
	_ = x.Conn.(*net.TCPConn).SetLinger(0)
	x.over = true
}

// await returns when the client has gone.
func (x *exchange) await() {
	_, _ = io.Copy(io.Discard, x)
	x.over = true
}

// drip writes text byte by byte, over and over, until the client has gone.
func (x *exchange) drip(text string) {
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for i := 0; !x.over; i++ {
		<-pace.C
		x.raw(text[i%len(text) : i%len(text)+1])
	}
}

// block is what is streamed, over and over.
var block = bytes.Repeat([]byte(" "), 64<<10)

// stream writes n bytes of blanks, or fewer when the client goes; a negative n has no end.
func (x *exchange) stream(n int) {
	for n != 0 && !x.over {
		size := len(block)
		if n > 0 {
			size = min(size, n)
			n -= size
		}
		written, err := x.Write(block[:size])
		x.streamed += written
		if err != nil {
			x.over = true
		}
	}
}
