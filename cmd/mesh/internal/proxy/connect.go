package proxy

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
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

// lifetime limits the authority. clockSkew allows for a container clock that's behind.
const (
	lifetime  = 24 * time.Hour
	clockSkew = time.Hour
)

// authority is a certificate authority for one run. Its key stays in memory. Its
// certificate permits only the names given to newAuthority, and their subdomains.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

// newAuthority accepts names and IP addresses.
func newAuthority(hosts []string) (*authority, error) {
	now := time.Now()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "mesh meter, for one run"},
		NotBefore:             now.Add(-clockSkew),
		NotAfter:              now.Add(lifetime),
		KeyUsage:              x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
		PermittedDNSDomainsCritical: true,
		// Name constraints don't limit IP addresses: without a range the authority could
		// certify all of them. No server has these two.
		PermittedIPRanges: []*net.IPNet{only(net.IPv4bcast), only(net.IPv6linklocalallnodes)},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.PermittedIPRanges = append(template.PermittedIPRanges, only(ip))
		} else {
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, host)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{key, certificate}, err
}

func only(ip net.IP) *net.IPNet {
	if v4 := ip.To4(); v4 != nil {
		ip = v4
	}
	return &net.IPNet{IP: ip, Mask: net.CIDRMask(8*len(ip), 8*len(ip))}
}

// pem returns the certificate without the key.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// config lets a server impersonate host.
func (a *authority) config(host string) (*tls.Config, error) {
	leaf, err := a.leaf(host)
	return &tls.Config{Certificates: []tls.Certificate{leaf}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}, err
}

func (a *authority) leaf(host string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{Organization: []string{"mesh meter"}},
		NotBefore: a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// Bypass counts the connections to a host whose calls aren't counted. A tunnel is
// encrypted, and HTTP/2 puts many calls into one connection, so the number of calls is
// unknown.
type Bypass struct {
	Host        string          `json:"host"`
	Provider    models.Provider `json:"provider"`
	Connections int             `json:"connections"`
	Sent        int64           `json:"sent_bytes"`
	Received    int64           `json:"received_bytes"`
	// Direct counts connections that bypassed the proxy. Their bytes are a lower bound.
	Direct int `json:"direct"`
	// Remedy is the --host value that makes the calls count. It's "" if the host needs no
	// --host.
	Remedy string `json:"remedy"`
}

type bypasses struct {
	mu    sync.Mutex
	hosts map[tunnelKey]Bypass
	// claude reports whether calls from Claude Code were counted.
	claude atomic.Bool
}

// tunnelKey keeps Claude Code's tunnels apart. Claude Code sends its calls to the base
// URL; other requests, which go through a tunnel, aren't calls.
type tunnelKey struct {
	host   string
	claude bool
}

func (b *bypasses) add(key tunnelKey, more Bypass) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts[key] = b.hosts[key].plus(more)
}

// all returns bypasses sorted by host. If Claude Code's calls were counted, its tunnels
// are left out.
func (b *bypasses) all() []Bypass {
	b.mu.Lock()
	defer b.mu.Unlock()
	sums := map[string]Bypass{}
	for key, h := range b.hosts {
		if !key.claude || !b.claude.Load() {
			sums[key.host] = sums[key.host].plus(h)
		}
	}
	list := make([]Bypass, 0, len(sums))
	for _, host := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[host]
		sum.Host = host
		sum.Provider, _ = meter.HostProvider(host)
		if remedy := remedies[nameOf(host)]; remedy != "" {
			sum.Remedy = host + "=" + remedy
		}
		list = append(list, sum)
	}
	return list
}

func (b Bypass) plus(more Bypass) Bypass {
	b.Connections += more.Connections
	b.Sent += more.Sent
	b.Received += more.Received
	b.Direct += more.Direct
	return b
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

// refuse counts a budget refusal and lets the response body end normally. A body that
// ends with the BudgetError would look like a broken connection, which programs retry.
func (m *Meters) refuse(res *http.Response) error {
	text, err := io.ReadAll(res.Body)
	var refused *meter.BudgetError
	if !errors.As(err, &refused) {
		return err
	}
	m.Refused.Add(1)
	if codex(res.Request) {
		res.StatusCode, res.Status = http.StatusBadRequest, ""
	}
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
	res.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}

// codex recognizes Codex. It retries five times after status 402, but stops at 400. All
// other programs that we tried stop at 402, too.
func codex(req *http.Request) bool {
	const name = "codex"
	agent := req.UserAgent()
	return len(agent) >= len(name) && strings.EqualFold(agent[:len(name)], name)
}

// Rejection counts connections by a client that rejects the authority's certificate.
// Its calls weren't sent.
type Rejection struct {
	Host string `json:"host"`
	// Client is the User-Agent from CONNECT, or "" if missing.
	Client string `json:"client"`
	// Alert is the TLS alert from the client, or "" if it closed the connection without
	// any.
	Alert       string `json:"alert"`
	Connections int    `json:"connections"`
}

// rejections counts connections without a request.
type rejections struct {
	mu       sync.Mutex
	counts   map[Rejection]int // Connections is 0 in the keys
	accepted map[Rejection]bool
}

func rejectionOf(d *decrypted, alert string) Rejection {
	return Rejection{Host: withoutPort(d.address), Client: output.Shorten(output.Line(d.agent)), Alert: alert}
}

func (r *rejections) add(d *decrypted, alert string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[rejectionOf(d, alert)]++
}

// accept notes that a client accepts the certificate: it may open more connections than
// it uses.
func (r *rejections) accept(d *decrypted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accepted[rejectionOf(d, "")] = true
}

// all sorts by host, client and alert.
func (r *rejections) all() []Rejection {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []Rejection{}
	for key, n := range r.counts {
		if !r.accepted[key] {
			key.Connections = n
			list = append(list, key)
		}
	}
	slices.SortFunc(list, func(a, b Rejection) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Alert, b.Alert))
	})
	return list
}
