package proxy

import (
	"context"
	"crypto/tls"
	_ "embed"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// decrypted is a program's connection whose TLS ends here.
type decrypted struct {
	net.Conn
	address string // the host's
	agent   string // User-Agent in CONNECT
	plain   bool   // without TLS
	used    bool   // there was a request; net/http calls ConnState on one goroutine for each connection
}

// intercept serves a program's requests in place of the host. It returns once the
// program has accepted the certificate.
func (p *Proxy) intercept(w http.ResponseWriter, r *http.Request, address string) {
	config, err := p.authority.config(nameOf(address))
	if err != nil {
		http.Error(w, "mesh meter: "+output.Line(err.Error()), http.StatusInternalServerError)
		return
	}
	program, err := accept(w, "HTTP/1.1 200 Connection established\r\n\r\n")
	if err != nil {
		return
	}
	conn := tls.Server(&decrypted{Conn: program, address: address, agent: r.UserAgent()}, config)
	if err := handshake(r.Context(), conn); err != nil {
		p.rejections.add(decryptedOf(conn), alertOf(err))
		_ = conn.Close()
		return
	}
	p.accepted.hand(conn)
}

// plain serves a program that connects without TLS. The preload expects no answer to
// CONNECT.
func (p *Proxy) plain(w http.ResponseWriter, address string) {
	if program, err := accept(w, ""); err == nil {
		p.accepted.hand(&decrypted{Conn: program, address: address, plain: true})
	}
}

// handshake waits until the program accepts the certificate. After ctx ends it still
// waits briefly: an ended program may have sent an alert before.
func handshake(ctx context.Context, conn *tls.Conn) error {
	const grace = 200 * time.Millisecond
	_ = conn.SetDeadline(time.Now().Add(headerTimeout))
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now().Add(grace)) })
	err := conn.HandshakeContext(context.WithoutCancel(ctx))
	if stop() {
		_ = conn.SetDeadline(time.Time{})
	}
	return err
}

// decryptedOf returns the connection that intercept or plain made, even below TLS.
func decryptedOf(conn net.Conn) *decrypted {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return conn.(*decrypted) //nolint:forcetypeassert // intercept and plain make them
}

// alertOf returns the TLS alert that ended a handshake, or "".
func alertOf(err error) string {
	var remote *net.OpError
	if errors.As(err, &remote) && remote.Op == "remote error" { // crypto/tls doesn't export the alert type
		return remote.Err.Error()
	}
	return ""
}

// newInterceptor returns the server for decrypted connections.
func (p *Proxy) newInterceptor(ctx context.Context) *http.Server {
	server := newServer(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.RLock()
		defer p.calls.RUnlock()
		host := p.toHost(decryptedOf(connOf(r)).address)
		if p.authority == nil { // a WebSocket from Node, which is unpriced
			host.ServeHTTP(w, r)
			return
		}
		noWebSocket(host, w, r)
	}))
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		d := decryptedOf(conn)
		switch {
		case d.plain:
		case state == http.StateActive:
			d.used = true
			p.rejections.accept(d)
		case state == http.StateClosed && !d.used && ctx.Err() == nil:
			p.rejections.add(d, "")
		}
	}
	return server
}

// handed is a listener for connections that another server accepted.
type handed struct {
	net.Listener // the other server closes it
	conns        chan net.Conn
	ended        <-chan struct{}
}

func (h *handed) hand(conn net.Conn) {
	select {
	case h.conns <- conn:
	case <-h.ended:
		_ = conn.Close()
	}
}

func (h *handed) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.ended:
		return nil, net.ErrClosed
	}
}

func (h *handed) Close() error { return nil }

//go:embed roots.txt
var rootVariables string

// nodeRoots adds roots to Node's own. The other variables replace the system's roots.
const nodeRoots = "NODE_EXTRA_CA_CERTS"

// systemRoots are files in Debian, Fedora, openSUSE, older Red Hat, Alpine and macOS.
var systemRoots = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// WriteFiles writes a run's files to a directory and returns the variables that name
// them.
//
// With --intercept it also writes root certificates: those that a variable in env named
// before, else the system's, plus the authority's certificate. No file has the
// authority's key.
func (p *Proxy) WriteFiles(folder string, env []string) ([]string, error) {
	options, err := p.writePreload(folder, env)
	if err != nil {
		return nil, err
	}
	variables := []string{"NODE_OPTIONS=" + options}
	if p.authority == nil {
		return variables, nil
	}
	for line := range strings.Lines(rootVariables) {
		line, onlySet := strings.CutPrefix(line, "? ")
		names := strings.Fields(line)
		if names[0] == "#" || (onlySet && valueOf(env, names[0]) == "") {
			continue
		}
		source := rootsOf(env, names)
		if source == "" && names[0] != nodeRoots {
			continue // a program with only the authority would trust no other host
		}
		roots, err := readRoots(source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[0], exit.WithoutPath(err))
		}
		name := filepath.Join(folder, names[0]+".pem")
		if err := writeFile(name, append(roots, p.authority.pem()...)); err != nil {
			return nil, err
		}
		variables = append(variables, names[0]+"="+name)
	}
	return variables, nil
}

// rootsOf returns the file or directory in the first variable that's set, else the
// system's file. It returns "" for Node, which has its own roots, and if the system has
// no file.
func rootsOf(env, names []string) string {
	for _, variable := range names {
		if value := valueOf(env, variable); value != "" {
			return value
		}
	}
	for _, file := range systemRoots {
		if info, err := os.Stat(file); names[0] != nodeRoots && err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// readRoots skips unreadable files in a directory. If source is "", it returns nil.
func readRoots(source string) (roots []byte, err error) {
	switch info, err := os.Stat(source); {
	case source == "":
		return nil, nil
	case err != nil || !info.IsDir():
		return certificates(source)
	}
	files, _ := filepath.Glob(filepath.Join(source, "*"))
	for _, file := range files {
		more, _ := certificates(file)
		roots = append(roots, more...)
	}
	return roots, nil
}

// maxRoots limits a certificate file, in bytes.
const maxRoots = 16 << 20

// certificates leaves out keys in the same file.
func certificates(file string) (roots []byte, err error) {
	text, err := openfile.ReadTyped(file, maxRoots)
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if strings.HasSuffix(block.Type, "CERTIFICATE") {
			roots = append(roots, pem.EncodeToMemory(block)...)
		}
	}
	return roots, err
}

// writeFile creates a file that only the user can read.
func writeFile(name string, text []byte) error {
	const mode = 0o600
	return exit.WithoutPath(os.WriteFile(name, text, mode))
}
