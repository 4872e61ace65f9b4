// Package http2 is a server that ends HTTP/2 requests in ways that a net/http handler
// can't: once a request has arrived, it resets the stream, announces the end of the
// connection, or drops it.
package http2

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Frames and flags from RFC 9113.
const (
	frameData      = 0x0
	frameHeaders   = 0x1
	frameReset     = 0x3
	frameSettings  = 0x4
	framePing      = 0x6
	frameGoAway    = 0x7
	flagAck        = 0x1
	flagEndStream  = 0x1
	flagEndHeaders = 0x4
	headerSize     = 9
	preface        = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	status200      = 0x88 // in HPACK
)

// Error codes from RFC 9113 after which net/http repeats a request.
const (
	NoError       = 0x0
	ProtocolError = 0x1
	RefusedStream = 0x7
)

// Request is a complete request.
type Request struct {
	conn    net.Conn
	stream  uint32
	HasBody bool
}

// Answer sends a response with status 200.
func (r Request) Answer(body string) {
	r.frame(frameHeaders, flagEndHeaders, r.stream, status200)
	r.frame(frameData, flagEndStream, r.stream, []byte(body)...)
}

// Reset ends the request's stream with an error.
func (r Request) Reset(code uint32) {
	r.frame(frameReset, 0, r.stream, binary.BigEndian.AppendUint32(nil, code)...)
}

// GoAway announces that no request on the connection was processed.
func (r Request) GoAway(code uint32) {
	r.frame(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(make([]byte, 4), code)...)
}

// Drop closes the connection.
func (r Request) Drop() { _ = r.conn.Close() }

func (r Request) frame(kind, flags byte, stream uint32, payload ...byte) {
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind)) //nolint:gosec // payloads are short
	frame = binary.BigEndian.AppendUint32(append(frame, flags), stream)
	_, _ = r.conn.Write(append(frame, payload...)) // the client may have disconnected
}

// Server counts requests.
type Server struct {
	*httptest.Server
	WithBody, Empty atomic.Int64
}

// New returns a server that calls handle for every request. Server.Client trusts it.
func New(t *testing.T, handle func(Request)) *Server {
	t.Helper()
	s := &Server{Server: httptest.NewUnstartedServer(http.NotFoundHandler())}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // drop errors about closed connections
	s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) { s.serve(conn, handle) },
	}
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *Server) serve(conn net.Conn, handle func(Request)) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	if _, err := reader.Discard(len(preface)); err != nil {
		return
	}
	Request{conn: conn}.frame(frameSettings, 0, 0)
	withBody := map[uint32]bool{}
	for header := make([]byte, headerSize); ; {
		if _, err := io.ReadFull(reader, header); err != nil {
			return
		}
		payload := make([]byte, int(header[0])<<16|int(header[1])<<8|int(header[2]))
		if _, err := io.ReadFull(reader, payload); err != nil {
			return
		}
		kind, flags := header[3], header[4]
		r := Request{conn: conn, stream: binary.BigEndian.Uint32(header[5:])}
		switch ends := flags&flagEndStream != 0; {
		case kind == frameSettings && flags&flagAck == 0:
			r.frame(kind, flagAck, 0)
		case kind == framePing && flags&flagAck == 0:
			r.frame(kind, flagAck, 0, payload...)
		case kind == frameHeaders && !ends:
			withBody[r.stream] = true
		case (kind == frameHeaders || kind == frameData) && ends:
			r.HasBody = withBody[r.stream]
			s.count(r)
			handle(r)
		}
	}
}

func (s *Server) count(r Request) {
	if r.HasBody {
		s.WithBody.Add(1)
	} else {
		s.Empty.Add(1)
	}
}
