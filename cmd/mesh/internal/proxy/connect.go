package proxy

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// user is the name in the URL of the proxy. Some programs send no password without a user.
const user = "mesh"

// connect answers CONNECT: with a tunnel, or with the program's TLS connection ended here if calls to the host are counted.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	if !p.authorized(r) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="mesh meter"`)
		w.Header().Set("Connection", "close") // git asks without a password first, and fails on a connection that stays open
		http.Error(w, "mesh meter: the proxy needs the user and password of HTTPS_PROXY", http.StatusProxyAuthRequired)
		return
	}
	address := strings.ToLower(r.Host)
	if name, port, err := net.SplitHostPort(address); err != nil || name == "" || port == "" {
		http.Error(w, "mesh meter: CONNECT needs HOST:PORT", http.StatusBadRequest)
		return
	}
	if p.authority != nil && p.hosts.has(address) {
		p.intercept(w, r, address)
		return
	}
	p.tunnel(w, r, address)
}

// authorized reports whether a request has the secret of the proxy.
func (p *Proxy) authorized(r *http.Request) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	want := base64.StdEncoding.EncodeToString([]byte(user + ":" + p.secret))
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// tunnel connects a program with a host. Tunnels to providers are counted.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request, address string) {
	host, err := dial(r.Context(), address)
	if err != nil {
		http.Error(w, "mesh meter: "+output.Line(err.Error()), http.StatusBadGateway)
		return
	}
	program, err := accept(w)
	if err != nil {
		_ = host.Close()
		return
	}
	sent, received := tunnel(r.Context(), program, host)
	if provider, known := meter.HostProvider(address); known {
		p.bypasses.add(withoutPort(address), provider, sent, received)
	}
}

// accept answers CONNECT and returns the connection of the program.
func accept(w http.ResponseWriter) (net.Conn, error) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprint(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return nil, err
	}
	if buffered.Reader.Buffered() == 0 {
		return conn, nil // the kernel copies between two connections
	}
	return &connReader{conn, buffered.Reader}, nil
}
