// Linux only: on macOS and Windows, Go ignores SSL_CERT_FILE, which has the tests' roots.

package proxy_test

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
)

// serve makes handler answer for host.
func serve(t testing.TB, host string, handler http.HandlerFunc) {
	t.Helper()
	hosts.Store(host, handler)
	t.Cleanup(func() { hosts.Delete(host) })
}

func TestInterceptedCallsAreCounted(t *testing.T) {
	t.Parallel()
	const host = "counted.example.com"
	serve(t, host, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer "+key, r.Header.Get("Authorization"))
		w.Header().Set("Location", "https://"+host+"/v1/other")
		_, _ = io.WriteString(w, chatAnswer)
	})
	s := startTunnels(t, host)
	for _, protocol := range []int{1, 2} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+host+"/v1//chat/completions?a=%2F", strings.NewReader(chat))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := s.client(t, protocol == 2).Do(req)
		require.NoError(t, err)
		assert.Equal(t, chatAnswer, textOf(t, res))
		res.Body.Close()
		assert.Equal(t, protocol, res.ProtoMajor, "as the program requested")
		assert.Equal(t, "https://"+host+"/v1/other", res.Header.Get("Location"), "unchanged")
		require.Len(t, s.records, protocol)
		assert.EqualValues(t, "0.0075", s.records[protocol-1].USD)
		assert.Equal(t, "/v1//chat/completions", s.records[protocol-1].Path)
	}
	assert.Empty(t, s.Bypasses())
	assert.Empty(t, s.Rejections())
	assert.Empty(t, s.errs.String())
}

// Programs that use WebSockets then fall back to HTTP.
func TestInterceptRefusesWebSockets(t *testing.T) {
	t.Parallel()
	const host = "sockets.example.com"
	serve(t, host, func(http.ResponseWriter, *http.Request) { t.Error("the request was forwarded") })
	s := startTunnels(t, host)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+host+"/v1/responses", nil)
	require.NoError(t, err)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	res, err := s.client(t, false).Do(req)
	require.NoError(t, err)
	res.Body.Close()
	assert.Equal(t, http.StatusUpgradeRequired, res.StatusCode)
}

func TestOtherHostsStayTunnels(t *testing.T) {
	t.Parallel()
	serve(t, "other.example.net", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, chatAnswer) })
	s := startTunnels(t, "llm.example.net")
	for _, address := range []string{"other.example.net", "xllm.example.net", "a.llm.example.net"} {
		res, err := s.client(t, false).Post("https://"+address+"/v1/chat/completions", "application/json", strings.NewReader(chat))
		require.NoError(t, err)
		assert.Equal(t, "all hosts", res.TLS.PeerCertificates[0].Issuer.CommonName, address)
		res.Body.Close()
	}
	assert.Empty(t, s.records)
}

func TestClientsThatDoNotAcceptTheCertificateAreNamed(t *testing.T) {
	t.Parallel()
	s := startTunnels(t, "strict.example.com:8443", "127.0.0.1")
	program, _ := s.open(t, "strict.example.com:8443", basic(s.proxyURL(t)), "User-Agent: strict/1 \u202e")
	conn := tls.Client(program, &tls.Config{ServerName: "strict.example.com", RootCAs: rootsOfFile(t, world.Roots)})
	require.Error(t, conn.Handshake(), "the client doesn't know the authority")
	conn.Close()

	program, _ = s.open(t, "127.0.0.1:9443", basic(s.proxyURL(t)))
	conn = tls.Client(program, &tls.Config{ServerName: "127.0.0.1", InsecureSkipVerify: true})
	require.NoError(t, conn.Handshake()) // Node checks the certificate after the handshake and sends no alert
	conn.Close()
	want := []proxy.Rejection{
		{Host: "127.0.0.1:9443", Connections: 1},
		{Host: "strict.example.com:8443", Client: "strict/1 \ufffd", Alert: "tls: bad certificate", Connections: 1},
	}
	assert.Equal(t, want, s.rejected(len(want)))
}

// A client that has used the certificate may open more connections than it needs.
func TestUnusedConnectionsAreNoRejections(t *testing.T) {
	t.Parallel()
	const host = "unused.example.com"
	serve(t, host, func(http.ResponseWriter, *http.Request) {})
	s := startTunnels(t, host)
	client := s.client(t, false)
	res, err := client.Get("https://" + host + "/")
	require.NoError(t, err)
	res.Body.Close()
	config := client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = host
	for _, agent := range []string{"Go-http-client/1.1", "other/1"} {
		program, _ := s.open(t, host+":443", basic(s.proxyURL(t)), "User-Agent: "+agent)
		conn := tls.Client(program, config)
		require.NoError(t, conn.Handshake())
		conn.Close()
	}
	assert.Equal(t, []proxy.Rejection{{Host: host, Client: "other/1", Connections: 1}}, s.rejected(1))
}

// rejected waits for n rejections. The proxy records them only when connections end.
func (s *started) rejected(n int) []proxy.Rejection {
	for len(s.Rejections()) < n {
		runtime.Gosched()
	}
	return s.Rejections()
}

// No file has the authority's key, and other users can't read the secret path.
func TestFilesHaveNoKey(t *testing.T) {
	t.Parallel()
	s := startTunnels(t, "files.example.com")
	folder := t.TempDir()
	_, err := s.WriteFiles(folder, []string{"NODE_OPTIONS=--max-old-space-size=100"})
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "PRIVATE KEY", name)
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	_, err = s.WriteFiles(filepath.Join(folder, "absent"), nil)
	require.Error(t, err)
}

func rootsOfFile(t testing.TB, name string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(text))
	return roots
}

// client trusts the same roots as a program under mesh meter --intercept.
func (s *started) client(t testing.TB, http2 bool) *http.Client {
	t.Helper()
	files, err := s.WriteFiles(t.TempDir(), os.Environ())
	require.NoError(t, err)
	transport := &http.Transport{
		Proxy: http.ProxyURL(s.proxyURL(t)), ForceAttemptHTTP2: http2,
		TLSClientConfig: &tls.Config{RootCAs: rootsOfFile(t, cmp.Or(variable(files, "SSL_CERT_FILE"), world.Roots))},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
