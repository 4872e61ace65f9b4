package proxy_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// startTunnels starts a proxy for tunnels. If there are hosts, they have OpenAI's API,
// and the proxy uses --intercept.
func startTunnels(t testing.TB, intercepted ...string) *started {
	t.Helper()
	return startHosts(t, len(intercepted) > 0, intercepted)
}

// startRouted starts a proxy without --intercept for hosts with OpenAI's API.
func startRouted(t testing.TB, hosts ...string) *started {
	t.Helper()
	return startHosts(t, false, hosts)
}

func startHosts(t testing.TB, intercept bool, hosts []string) *started {
	t.Helper()
	upstreams, err := proxy.Upstreams(nil, nil, func(string) string { return "" })
	require.NoError(t, err)
	var opts []meter.Option
	for _, host := range hosts {
		opts = append(opts, meter.WithEndpoint(meter.Endpoint{Host: host, API: models.OpenAI}))
	}
	s := &started{errs: &strings.Builder{}}
	s.meters, err = proxy.NewMeters(prices.BuiltIn(), upstreams, s.record, opts...)
	require.NoError(t, err)
	s.Proxy, err = proxy.Start(t.Context(), proxy.Config{
		Meters: s.meters, Upstreams: upstreams, Hosts: hosts, Intercept: intercept, Errs: s.errs,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (s *started) proxyURL(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse(variable(s.Environment(nil), "HTTPS_PROXY"))
	require.NoError(t, err)
	return u
}

// open sends CONNECT with headers and returns the connection and the response.
func (s *started) open(t testing.TB, address string, headers ...string) (*net.TCPConn, *http.Response) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.proxyURL(t).Host)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n%s\r\n", address, strings.Join(append(headers, ""), "\r\n"))
	res, err := http.ReadResponse(bufio.NewReaderSize(oneByte{conn}, 16), &http.Request{Method: http.MethodConnect})
	require.NoError(t, err)
	return conn.(*net.TCPConn), res
}

// oneByte reads byte by byte, so that a bufio.Reader takes nothing that follows the
// response.
type oneByte struct{ io.Reader }

func (r oneByte) Read(p []byte) (int, error) { return r.Reader.Read(p[:1]) }

// basic returns the header with u's user and password.
func basic(u *url.URL) string {
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.String()))
}

func TestConnectNeedsTheSecret(t *testing.T) {
	t.Parallel()
	s := startTunnels(t)
	u := s.proxyURL(t)
	assert.Equal(t, "mesh", u.User.Username())
	secret, _ := u.User.Password()
	assert.Len(t, secret, 26)
	wrong := *u
	wrong.User = url.UserPassword("mesh", strings.Repeat("A", 26))
	for _, headers := range [][]string{nil, {basic(&wrong)}, {strings.Replace(basic(u), "Proxy-", "", 1)}, {"Proxy-Authorization: Bearer " + secret}} {
		_, res := s.open(t, "secret.example.com:443", headers...)
		assert.Equal(t, http.StatusProxyAuthRequired, res.StatusCode, headers)
		assert.Equal(t, `Basic realm="mesh meter"`, res.Header.Get("Proxy-Authenticate"))
		assert.True(t, res.Close, "git fails if the connection stays open")
		text, _ := io.ReadAll(res.Body)
		assert.NotContains(t, string(text), secret)
	}
	assert.NotContains(t, world.Opened(), "secret.example.com:443")
	for _, address := range []string{"example.com", ":443", "example.com:"} {
		_, res := s.open(t, address, basic(u))
		assert.Equal(t, http.StatusBadRequest, res.StatusCode, address)
	}
	assert.NotContains(t, s.errs.String(), secret)
}

func TestTunnelsThatCannotOpenAreRefused(t *testing.T) {
	t.Parallel()
	s := startTunnels(t)
	world.Lead("away.example.com:443", "127.0.0.1:1")
	_, res := s.open(t, "away.example.com:443", basic(s.proxyURL(t)))
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, res.StatusCode)
	assert.Regexp(t, `^mesh meter: the proxy 127\.0\.0\.1:\d+ answered 502 Bad Gateway\n$`, string(text), "without the password")
	assert.Empty(t, s.Bypasses())
}

// Hosts in regions missing from the table are printed, and so are hosts without prices.
// Other hosts aren't.
func TestTunnelsToHostsThatServeModelsAreAddedUp(t *testing.T) {
	t.Parallel()
	s := startTunnels(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	for _, host := range []string{"bedrock-runtime.xx-new-1.amazonaws.com", "api.mistral.ai", "api.mistral.ai", "mistral.ai"} {
		world.Lead(host+":443", listener.Addr().String())
		program, res := s.open(t, host+":443", basic(s.proxyURL(t)))
		require.Equal(t, http.StatusOK, res.StatusCode)
		fmt.Fprint(program, "12345")
		require.NoError(t, program.CloseWrite())
		_, _ = io.Copy(io.Discard, program)
	}
	require.NoError(t, s.Close())
	assert.Equal(t, []proxy.Bypass{
		{Host: "api.mistral.ai", Connections: 2, Sent: 10, Remedy: "api.mistral.ai=openai:mistral"},
		{Host: "bedrock-runtime.xx-new-1.amazonaws.com", Connections: 1, Sent: 5},
	}, s.Bypasses())
}

// Either side may end its half first. What the other sends must still arrive.
func TestTunnelsHaveTwoHalves(t *testing.T) {
	t.Parallel()
	s := startTunnels(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	rest := make(chan string)
	go func() {
		conn, err := listener.Accept()
		assert.NoError(t, err)
		text, _ := io.ReadAll(conn) // the program ends its half first
		fmt.Fprintf(conn, "got %s", text)
		conn.Close()
		conn, err = listener.Accept()
		assert.NoError(t, err)
		fmt.Fprint(conn, "at once")
		_ = conn.(*net.TCPConn).CloseWrite()
		text, _ = io.ReadAll(conn)
		rest <- string(text)
		conn.Close()
	}()
	world.Lead("api.deepseek.com:443", listener.Addr().String()) // the other tunnel, to loopback, bypasses the environment's proxy
	program, res := s.open(t, "api.deepseek.com:443", basic(s.proxyURL(t)))
	require.Equal(t, http.StatusOK, res.StatusCode)
	fmt.Fprint(program, "a question")
	require.NoError(t, program.CloseWrite())
	text, err := io.ReadAll(program)
	require.NoError(t, err)
	assert.Equal(t, "got a question", string(text))

	program, res = s.open(t, listener.Addr().String(), basic(s.proxyURL(t)))
	require.Equal(t, http.StatusOK, res.StatusCode)
	text, err = io.ReadAll(program)
	require.NoError(t, err)
	assert.Equal(t, "at once", string(text))
	fmt.Fprint(program, "after the end")
	require.NoError(t, program.CloseWrite())
	assert.Equal(t, "after the end", <-rest)
	require.NoError(t, s.Close(), "it waits for the tunnels")
	assert.Equal(t, []proxy.Bypass{{Host: "api.deepseek.com", Provider: models.DeepSeek, Connections: 1, Sent: 10, Received: 14}}, s.Bypasses())
}

// Close must end tunnels that the program left open, and count them.
func TestCloseEndsTunnels(t *testing.T) {
	t.Parallel()
	s := startTunnels(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	world.Lead("api.anthropic.com:443", listener.Addr().String())
	program, res := s.open(t, "api.anthropic.com:443", basic(s.proxyURL(t)))
	require.Equal(t, http.StatusOK, res.StatusCode)
	host, err := listener.Accept()
	require.NoError(t, err)
	fmt.Fprint(program, "12345")
	_, err = io.ReadFull(host, make([]byte, 5))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = host.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, []proxy.Bypass{{Host: "api.anthropic.com", Provider: models.Anthropic, Connections: 1, Sent: 5}}, s.Bypasses())
}
