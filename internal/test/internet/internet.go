// Package internet puts every host on loopback. A CONNECT proxy leads to one handler,
// which serves each host with TLS. Programs that use the proxy and trust its authority
// can call real names without a network.
package internet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"time"
)

// Internet is a proxy and the hosts behind it.
type Internet struct {
	// ProxyURL contains the user and password that the proxy requires.
	ProxyURL string
	// Roots is a file with the certificate authority that signs for all hosts.
	Roots string

	proxy, hosts *httptest.Server
	key          *ecdsa.PrivateKey
	authority    *x509.Certificate

	mu     sync.Mutex
	opened []string
	dials  map[string]string
}

// Start starts the proxy and the hosts, and writes Roots.
func Start(roots string, handler http.Handler) (*Internet, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	i := &Internet{Roots: roots, key: key, dials: map[string]string{}}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "all hosts"}, NotAfter: time.Now().Add(time.Hour), NotBefore: time.Now().Add(-time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, SerialNumber: big.NewInt(1),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	if i.authority, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		return nil, err
	}
	i.hosts = httptest.NewUnstartedServer(handler)
	i.hosts.EnableHTTP2 = true
	i.hosts.Config.ErrorLog = log.New(io.Discard, "", 0)
	i.hosts.TLS = &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) { return i.leaf(h.ServerName) }}
	i.hosts.StartTLS()
	i.proxy = httptest.NewServer(http.HandlerFunc(i.connect))
	i.ProxyURL = (&url.URL{Scheme: "http", User: url.UserPassword("user", "password"), Host: i.proxy.Listener.Addr().String()}).String()
	return i, nil
}

// Close stops the proxy and all hosts.
func (i *Internet) Close() {
	i.proxy.CloseClientConnections()
	i.proxy.Close()
	i.hosts.CloseClientConnections()
	i.hosts.Close()
}

// Env returns variables for a program that should use the proxy and trust the hosts.
func (i *Internet) Env() []string {
	return []string{"HTTPS_PROXY=" + i.ProxyURL, "SSL_CERT_FILE=" + i.Roots}
}

// Lead connects HOST:PORT to another address instead of the handler.
func (i *Internet) Lead(host, address string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dials[host] = address
}

// Opened returns the HOST:PORT of each tunnel.
func (i *Internet) Opened() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string{}, i.opened...)
}

func (i *Internet) leaf(host string) (*tls.Certificate, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{host}, NotBefore: i.authority.NotBefore, NotAfter: i.authority.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, i.authority, &i.key.PublicKey, i.key)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: i.key}, err
}

func (i *Internet) connect(w http.ResponseWriter, r *http.Request) {
	basic := &http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	if user, password, _ := basic.BasicAuth(); r.Method != http.MethodConnect || user != "user" || password != "password" {
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	i.mu.Lock()
	i.opened = append(i.opened, r.Host)
	address := i.dials[r.Host]
	i.mu.Unlock()
	if address == "" {
		address = i.hosts.Listener.Addr().String()
	}
	host, err := new(net.Dialer).DialContext(r.Context(), "tcp", address)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	program, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = host.Close()
		return
	}
	_, _ = io.WriteString(program, "HTTP/1.1 200 OK\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(host, buffered); _ = host.(*net.TCPConn).CloseWrite() })
	_, _ = io.Copy(program, host)
	_ = program.(*net.TCPConn).CloseWrite()
	both.Wait()
	_, _ = program.Close(), host.Close()
}
