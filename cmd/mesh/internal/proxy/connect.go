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

// lifetime is how long the authority is valid. clockSkew is how far the clock of a container may be behind.
const (
	lifetime  = 24 * time.Hour
	clockSkew = time.Hour
)

// authority is a certificate authority for one run. Its key is in memory only, and its certificate permits no names but those of
// newAuthority and their subdomains.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

// newAuthority returns an authority for hosts, which are names or IP addresses.
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
		// Without a range the authority could certify every IP address: a constraint on names does not limit addresses. No server has these.
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

// only returns the range of one address.
func only(ip net.IP) *net.IPNet {
	if v4 := ip.To4(); v4 != nil {
		ip = v4
	}
	return &net.IPNet{IP: ip, Mask: net.CIDRMask(8*len(ip), 8*len(ip))}
}

// pem returns the certificate, without the key, as a file has it.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// config returns the configuration of a server that is host for a program.
func (a *authority) config(host string) (*tls.Config, error) {
	leaf, err := a.leaf(host)
	return &tls.Config{Certificates: []tls.Certificate{leaf}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}, err
}

// leaf returns a certificate for a host, with a key of its own.
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

// Bypass is the connections to a host whose calls are not counted. What passes through a tunnel is encrypted: HTTP/2 puts many calls into one
// connection, so that the number of calls is not known.
type Bypass struct {
	Host        string          `json:"host"`
	Provider    models.Provider `json:"provider"`
	Connections int             `json:"connections"`
	Sent        int64           `json:"sent_bytes"`
	Received    int64           `json:"received_bytes"`
	// Direct is the number of connections that led past the proxy, whose bytes are a lower bound.
	Direct int `json:"direct"`
	// Remedy is the value of --host with which the calls are counted; "" for the hosts that are counted without it.
	Remedy string `json:"remedy"`
}

// bypasses adds up connections by host.
type bypasses struct {
	mu    sync.Mutex
	hosts map[tunnelKey]Bypass
	// claude reports whether calls of Claude Code were counted.
	claude atomic.Bool
}

// tunnelKey is a host, and whether a tunnel is one of Claude Code. Its calls use the base URL; what it sends beside them is no call.
type tunnelKey struct {
	host   string
	claude bool
}

// add adds connections.
func (b *bypasses) add(key tunnelKey, more Bypass) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts[key] = b.hosts[key].plus(more)
}

// all returns the hosts in their order.
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

// plus returns the sum of the connections to one host.
func (b Bypass) plus(more Bypass) Bypass {
	b.Connections += more.Connections
	b.Sent += more.Sent
	b.Received += more.Received
	b.Direct += more.Direct
	return b
}

// claudeTunnel reports whether CONNECT is of the form that Claude Code sends: curl and Go have a User-Agent, Python has no Proxy-Connection.
func claudeTunnel(r *http.Request) bool {
	return r.Host == "api.anthropic.com:443" && r.UserAgent() == "" && r.Header.Get("Proxy-Connection") != ""
}

// tunnel copies between a program and a host until both have ended, and returns the bytes that it sent and received. Either of them may
// end its half first.
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

// pipe copies one half of a tunnel. A broken half ends both.
func pipe(to, from net.Conn) int64 {
	n, err := io.Copy(to, from)
	if err != nil || closeWrite(to) != nil {
		_, _ = to.Close(), from.Close()
	}
	return n
}

// closeWrite ends one half of a connection.
func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}

// refuse counts the refusal of a budget and gives it the form that ends the program: its body ends with io.EOF, since its error cannot
// cross the proxy and would look like a broken connection, which programs try again.
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

// codex reports whether Codex sent a request. It repeats a call five times after the status 402, and ends at 400; all other programs
// that were tried end at 402, too.
func codex(req *http.Request) bool {
	const name = "codex"
	agent := req.UserAgent()
	return len(agent) >= len(name) && strings.EqualFold(agent[:len(name)], name)
}

// Rejection is the connections of a client that does not accept the certificate of the authority. Its calls were not sent.
type Rejection struct {
	Host string `json:"host"`
	// Client is the User-Agent with which the client opened its tunnels; "" if it has none.
	Client string `json:"client"`
	// Alert is the TLS alert that the client sent; "" if it closed the connection without one.
	Alert       string `json:"alert"`
	Connections int    `json:"connections"`
}

// rejections counts connections that had no request.
type rejections struct {
	mu       sync.Mutex
	counts   map[Rejection]int // by their other fields
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

// accept notes that a client has accepted the certificate. It may open more connections than it uses.
func (r *rejections) accept(d *decrypted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accepted[rejectionOf(d, "")] = true
}

// all returns the rejections in the order of their hosts.
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
