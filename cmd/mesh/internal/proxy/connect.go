package proxy

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// connect answers CONNECT with a tunnel or, if calls to the host are counted, ends the
// program's TLS here.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	if !p.authorized(w, r) {
		return
	}
	address := strings.ToLower(r.Host)
	if name, port, err := net.SplitHostPort(address); err != nil || name == "" || port == "" {
		http.Error(w, "mesh meter: CONNECT needs HOST:PORT", http.StatusBadRequest)
		return
	}
	kind := r.Header.Get(meterHeader)
	switch counted := p.hosts.has(address); {
	case kind == unseen:
		p.unread(address, r, 0, 0)
	case kind == plainText && counted:
		p.plain(w, address)
	case kind == plainText:
		http.NotFound(w, r)
	case p.authority != nil && counted:
		p.intercept(w, r, address)
	default:
		p.tunnel(w, r, address)
	}
}

// authorized reports whether the request has the proxy's secret. If not, it has answered
// the request.
func (p *Proxy) authorized(w http.ResponseWriter, r *http.Request) bool {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Proxy-Authorization")), []byte(basic(p.credentials()))) == 1 {
		p.strangers.remove(connOf(r))
		return true
	}
	w.Header().Set("Proxy-Authenticate", `Basic realm="mesh meter"`)
	w.Header().Set("Connection", "close") // git asks without a password first, and fails on a connection that stays open
	http.Error(w, "mesh meter: the proxy needs the user and password of HTTPS_PROXY", http.StatusProxyAuthRequired)
	return false
}

// credentials include a user, since some programs send no password without a user.
func (p *Proxy) credentials() *url.Userinfo { return url.UserPassword("mesh", p.Secret) }

func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request, address string) {
	host, err := p.dial(r.Context(), address)
	if err != nil {
		http.Error(w, "mesh meter: "+output.Line(err.Error()), http.StatusBadGateway)
		return
	}
	program, err := accept(w, "HTTP/1.1 200 Connection established\r\n\r\n")
	if err != nil {
		_ = host.Close()
		return
	}
	sent, received := tunnel(r.Context(), program, host)
	if sent > 0 {
		p.unread(address, r, sent, received)
	}
}

// unread counts a connection whose calls can't be read, unless its host serves no models.
func (p *Proxy) unread(address string, r *http.Request, sent, received int64) {
	_, official := meter.HostProvider(address) // maybe in a region missing from the table
	if official || p.hosts.has(address) || remedies[nameOf(address)] != "" {
		p.bypasses.add(tunnelKey{withoutPort(address), claudeTunnel(r)}, Bypass{Connections: 1, Sent: sent, Received: received})
	}
}

// accept answers CONNECT and hijacks the program's connection.
func accept(w http.ResponseWriter, answer string) (net.Conn, error) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprint(conn, answer); err != nil {
		_ = conn.Close()
		return nil, err
	}
	if buffered.Reader.Buffered() == 0 {
		return conn, nil // the kernel copies between two connections
	}
	return &connReader{conn, buffered.Reader}, nil
}

// claudeTunnel recognizes CONNECT from Claude Code: curl and Go send a User-Agent, and
// Python sends no Proxy-Connection.
func claudeTunnel(r *http.Request) bool {
	return r.Host == "api.anthropic.com:443" && r.UserAgent() == "" && r.Header.Get("Proxy-Connection") != ""
}

// tunnel copies until both sides have ended; either may end its half first. It returns
// the bytes that the program sent and received.
func tunnel(ctx context.Context, program, host net.Conn) (sent, received int64) {
	stop := context.AfterFunc(ctx, func() { _, _ = program.Close(), host.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { sent = pipe(host, program) })
	received = pipe(program, host)
	both.Wait()
	_, _ = program.Close(), host.Close()
	return sent, received
}

// pipe copies one half of a tunnel. If it breaks, both halves end.
func pipe(to, from net.Conn) int64 {
	n, err := io.Copy(to, from)
	if err != nil || closeWrite(to) != nil {
		_, _ = to.Close(), from.Close()
	}
	return n
}

func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}
