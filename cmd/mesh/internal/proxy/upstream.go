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
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Upstream is an API behind the proxy.
type Upstream struct {
	// API is the provider whose API it is, which is a part of the paths of the proxy.
	API models.Provider
	// Variable is the variable of the environment from which programs read the base URL; "" if there is none.
	Variable string
	// URL is the base URL that programs would use without the proxy.
	URL *url.URL
	// Provider bills the calls; "" if the host is no provider's, so that their cost is not known.
	Provider models.Provider
	// ByHost reports whether a Meter knows who bills the calls from their host, which is a platform's or one of --host. Provider is "".
	ByHost bool
}

// private returns the base path without the version at its end, such as /v1. It may have a key, or the secret path of another proxy.
func (u Upstream) private() string { return version.ReplaceAllString(u.URL.Path, "") }

var version = regexp.MustCompile(`/*(/v[0-9]+[a-z]*)?/*$`)

// known are the APIs whose base URL programs read from their environment. DeepSeek and xAI have none: programs use OPENAI_BASE_URL
// for them.
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

// Upstreams returns the APIs: at the URL of a flag PROVIDER=URL, else of the variable, else of the provider. A flag also names the
// provider of its host. Hosts are those of --host.
func Upstreams(flags, hosts []string, getenv func(string) string) ([]Upstream, error) {
	given, owners := map[models.Provider]*url.URL{}, map[string]models.Provider{}
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
			if !isFake(text, getenv(fakeproviders.URLVariable)) || isOne(u.URL.Host, hosts) {
				u.Provider, u.ByHost = billedBy(u.URL.Host, hosts, owners)
			}
		}
		list = append(list, u)
	}
	return list, nil
}

// parseFlag parses PROVIDER=URL.
func parseFlag(flag string) (models.Provider, *url.URL, error) {
	name, text, _ := strings.Cut(flag, "=")
	if strings.ContainsAny(name, ":/@") { // a URL, which may have a password
		return "", nil, errors.New("--upstream must be PROVIDER=URL")
	}
	p, err := models.ParseProvider(name)
	if err != nil {
		return "", nil, fmt.Errorf("--upstream must be PROVIDER=URL: %w", err)
	}
	base, err := parse(text)
	if err != nil {
		return "", nil, fmt.Errorf("--upstream %s: %w", p, err)
	}
	return p, base, nil
}

// billedBy returns the provider of a host, which is the one of a flag for it if it is no official host, or reports that a Meter knows the
// host.
func billedBy(host string, hosts []string, owners map[string]models.Provider) (p models.Provider, byHost bool) {
	p, official := meter.HostProvider(host)
	named := isOne(host, hosts)
	switch {
	case p != "" && !named:
		return p, false
	case owners[host] != "":
		return owners[host], false
	}
	return "", named || official
}

// isOne reports whether a host is one of --host.
func isOne(host string, hosts []string) bool {
	return slices.ContainsFunc(hosts, func(given string) bool {
		return strings.EqualFold(given, host) || strings.EqualFold(given, nameOf(host))
	})
}

// isFake reports whether a base URL is that of a server of mesh providers, whose calls cost what the provider's would.
func isFake(base, server string) bool {
	return server != "" && strings.HasPrefix(base, strings.TrimRight(server, "/")+"/")
}

// parse returns a base URL. An error does not show it: it may have a password.
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

// dialTimeout bounds how long a tunnel may take to open.
const dialTimeout = 30 * time.Second

// UnsupportedParent returns the variable with a proxy through which tunnels cannot leave: a SOCKS proxy, a URL that cannot be read,
// or one of ALL_PROXY alone, which net/http does not read; "" if there is none.
func UnsupportedParent(env []string) string {
	set := false // HTTPS_PROXY has a proxy that can be used
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

// readable reports whether a text is the URL of an HTTP proxy, which may lack its scheme.
func readable(proxy string) bool {
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	return err == nil && !strings.HasPrefix(strings.ToLower(u.Scheme), "socks")
}

// dial connects to an address, through the proxy of the environment if there is one for it.
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

// defaultPorts are those of URLs without a port, by their schemes.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// dialParent connects to a proxy, with TLS if its URL has the scheme https.
func dialParent(ctx context.Context, parent *url.URL) (net.Conn, error) {
	dial := new(net.Dialer).DialContext
	if parent.Scheme == "https" {
		dial = new(tls.Dialer).DialContext
	}
	return dial(ctx, "tcp", net.JoinHostPort(parent.Hostname(), cmp.Or(parent.Port(), defaultPorts[parent.Scheme])))
}

// openTunnel sends CONNECT to a proxy with the credentials of its URL. What arrives behind the response belongs to the tunnel.
func openTunnel(conn net.Conn, parent *url.URL, address string) (net.Conn, error) {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if parent.User != nil {
		req.Header.Set("Proxy-Authorization", basic(parent.User))
	}
	if err := req.Write(conn); err != nil {
		return nil, fmt.Errorf("the proxy %s: %w", parent.Host, err)
	}
	reader := bufio.NewReader(conn)
	res, err := http.ReadResponse(reader, req) //nolint:bodyclose // the response to CONNECT has none
	if err != nil {
		return nil, fmt.Errorf("the proxy %s: no valid response to CONNECT", parent.Host) // the error may quote it
	}
	if err := parentRefusal(parent, res); err != nil {
		return nil, err
	}
	return &connReader{conn, reader}, nil
}

// basic returns the header that sends credentials to a proxy.
func basic(credentials *url.Userinfo) string {
	password, _ := credentials.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials.Username()+":"+password))
}

// parentError is why a proxy has opened no tunnel.
type parentError string

func (e parentError) Error() string { return string(e) }

// parentRefusal returns an error if the response to CONNECT opens no tunnel. It has neither the credentials nor the text of the response.
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

// connReader is a connection of which a reader has read a part already.
type connReader struct {
	net.Conn
	reader io.Reader
}

func (c *connReader) Read(p []byte) (int, error) { return c.reader.Read(p) }

func (c *connReader) CloseWrite() error { return closeWrite(c.Conn) }
