package proxy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

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
