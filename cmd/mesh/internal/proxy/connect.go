package proxy

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// connect answers CONNECT: with a tunnel, or with the program's connection ended here if calls to the host are counted.
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

// authorized reports whether a request has the secret of the proxy, and answers it if not.
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

// credentials returns the user and the password of the proxy. Some programs send no password without a user.
func (p *Proxy) credentials() *url.Userinfo { return url.UserPassword("mesh", p.Secret) }

// tunnel connects a program with a host.
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

// unread counts a connection to a host that serves models.
func (p *Proxy) unread(address string, r *http.Request, sent, received int64) {
	_, official := meter.HostProvider(address) // in a region, perhaps, that the table does not have
	if official || p.hosts.has(address) || remedies[nameOf(address)] != "" {
		p.bypasses.add(tunnelKey{withoutPort(address), claudeTunnel(r)}, Bypass{Connections: 1, Sent: sent, Received: received})
	}
}

// accept answers CONNECT with a text and returns the connection of the program.
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
