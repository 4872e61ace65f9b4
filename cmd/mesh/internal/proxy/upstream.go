package proxy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Upstream is an API behind the proxy.
type Upstream struct {
	// API is the provider whose API it is. It's used in the proxy's paths.
	API models.Provider
	// Variable is the environment variable with the base URL, or "".
	Variable string
	// URL is the base URL that programs would use without the proxy.
	URL *url.URL
	// Provider bills the calls. It's "" if the host isn't a provider's: then the cost is
	// unknown.
	Provider models.Provider
	// ByHost reports whether a Meter knows from the host who bills the calls: it's a
	// platform or a --host. Provider is then "".
	ByHost bool
}

// private returns the base path without a version, such as /v1, at its end. The path
// may have a key, or another proxy's secret.
func (u Upstream) private() string { return version.ReplaceAllString(u.URL.Path, "") }

var version = regexp.MustCompile(`/*(/v[0-9]+[a-z]*)?/*$`)

// known are the APIs whose base URL programs read from their environment. DeepSeek and
// xAI have no variable: programs use OPENAI_BASE_URL for them.
var known = []struct {
	provider      models.Provider
	variable, url string
}{
	{models.OpenAI, openAIBase, "https://api.openai.com/v1"},
	{models.Anthropic, "ANTHROPIC_BASE_URL", "https://api.anthropic.com"},
	{models.Gemini, "GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"},
	{models.DeepSeek, "", "https://api.deepseek.com"},
	{models.XAI, "", "https://api.x.ai/v1"},
}

// Upstreams returns the APIs. Each URL is from a flag PROVIDER=URL, else from the
// variable, else the provider's. A flag also names its host's provider. hosts are
// --host values.
func Upstreams(flags, hosts []string, getenv func(string) string) ([]Upstream, error) {
	given, owners, named := map[models.Provider]*url.URL{}, map[string]models.Provider{}, tableOf(hosts)
	for _, flag := range flags {
		p, base, err := parseFlag(flag)
		if err != nil {
			return nil, err
		}
		given[p], owners[base.Host] = base, p
	}
	list := make([]Upstream, 0, len(known))
	for _, k := range known {
		u := Upstream{API: k.provider, Variable: k.variable, URL: given[k.provider], Provider: k.provider}
		if u.URL == nil {
			text := cmp.Or(getenv(k.variable), k.url)
			base, err := parse(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.variable, err)
			}
			u.URL = base
			if !isFake(text, getenv(fakeproviders.URLVariable)) || named.has(u.URL.Host) {
				u.Provider, u.ByHost = billedBy(u.URL.Host, named, owners)
			}
		}
		list = append(list, u)
	}
	return list, nil
}

func parseFlag(flag string) (models.Provider, *url.URL, error) {
	name, text, _ := strings.Cut(flag, "=")
	if strings.ContainsAny(name, ":/@") { // a URL, which may have a password
		return "", nil, errors.New("--upstream must be PROVIDER=URL")
	}
	p, err := providers.Of(name, "")
	if err != nil {
		return "", nil, fmt.Errorf("--upstream must be PROVIDER=URL: %w", err)
	}
	base, err := parse(text)
	if err != nil {
		return "", nil, fmt.Errorf("--upstream %s: %w", p, err)
	}
	return p, base, nil
}

// billedBy returns the provider that bills calls to host: the official one unless --host
// names the host, else the one that a flag gives it. If p is "", byHost reports whether a
// Meter can tell from the host.
func billedBy(host string, named hostTable, owners map[string]models.Provider) (p models.Provider, byHost bool) {
	p, official := meter.HostProvider(host)
	switch {
	case p != "" && !named.has(host):
		return p, false
	case owners[host] != "":
		return owners[host], false
	}
	return "", named.has(host) || official
}

// isFake recognizes mesh providers, whose calls cost as much as the provider's.
func isFake(base, server string) bool {
	return server != "" && strings.HasPrefix(base, strings.TrimRight(server, "/")+"/")
}

// parse omits the URL from errors: it may have a password.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("must be a URL such as https://api.openai.com/v1")
	}
	if port := u.Port(); port != "" && !isPort(port) {
		return nil, errPort
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("must not have a user, a query or a fragment")
	}
	return u, nil
}

// dialTimeout limits the time to open a tunnel.
const dialTimeout = 30 * time.Second

// UnsupportedParent returns the first variable with a proxy that tunnels can't leave
// through: a SOCKS proxy, an invalid URL, or ALL_PROXY alone, which net/http doesn't
// read. It returns "" if there's no such variable.
func UnsupportedParent(env []string) string {
	set := false // HTTPS_PROXY is usable
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		all := strings.EqualFold(name, "ALL_PROXY")
		switch value := valueOf(env, name); {
		case value == "", all && set:
		case all, !readable(value):
			return name
		default:
			set = true
		}
	}
	return ""
}

// readable accepts an HTTP proxy URL, which may lack its scheme.
func readable(proxy string) bool {
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	return err == nil && !strings.HasPrefix(strings.ToLower(u.Scheme), "socks")
}

// dial uses the environment's proxy for the address, if any.
func (p *Proxy) dial(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	parent, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: address}})
	if err != nil || parent == nil {
		return p.noted(new(net.Dialer).DialContext)(ctx, "tcp", address)
	}
	conn, err := dialParent(ctx, parent)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	opened, err := openTunnel(conn, parent, address)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return opened, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func dialParent(ctx context.Context, parent *url.URL) (net.Conn, error) {
	dial := new(net.Dialer).DialContext
	if parent.Scheme == "https" {
		dial = new(tls.Dialer).DialContext
	}
	return dial(ctx, "tcp", net.JoinHostPort(parent.Hostname(), cmp.Or(parent.Port(), defaultPorts[parent.Scheme])))
}

// openTunnel sends CONNECT with the credentials in the proxy's URL. Bytes after the
// response belong to the tunnel.
func openTunnel(conn net.Conn, parent *url.URL, address string) (net.Conn, error) {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if parent.User != nil {
		req.Header.Set("Proxy-Authorization", basic(parent.User))
	}
	if err := req.Write(conn); err != nil {
		return nil, fmt.Errorf("the proxy %s: %w", parent.Host, err)
	}
	reader := bufio.NewReader(conn)
	res, err := http.ReadResponse(reader, req) //nolint:bodyclose // the response to CONNECT has no body
	if err != nil {
		return nil, fmt.Errorf("the proxy %s: no valid response to CONNECT", parent.Host) // the error may quote the response
	}
	if err := parentRefusal(parent, res); err != nil {
		return nil, err
	}
	return &connReader{conn, reader}, nil
}

func basic(credentials *url.Userinfo) string {
	password, _ := credentials.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials.Username()+":"+password))
}

// parentError explains why another proxy opened no tunnel.
type parentError string

func (e parentError) Error() string { return string(e) }

// parentRefusal returns an error unless CONNECT succeeded. It includes neither
// credentials nor the response text.
func parentRefusal(parent *url.URL, res *http.Response) error {
	text := fmt.Sprintf("the proxy %s answered %d %s", parent.Host, res.StatusCode, http.StatusText(res.StatusCode))
	switch res.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		text += "; check its user and password in HTTPS_PROXY"
	}
	return parentError(strings.TrimSpace(text))
}

// connReader first returns bytes that a reader has buffered.
type connReader struct {
	net.Conn
	reader io.Reader
}

func (c *connReader) Read(p []byte) (int, error) { return c.reader.Read(p) }

func (c *connReader) CloseWrite() error { return closeWrite(c.Conn) }
