// Linux only: on macOS and Windows, Go ignores SSL_CERT_FILE, which has the tests' roots.

package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
)

// The preload connects programs without TLS, and CONNECT gets no response.
func TestConnectionsWithoutTLSAreCounted(t *testing.T) {
	t.Parallel()
	const host = "plain.example.com"
	serve(t, host, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://"+host+"/v1/other")
		_, _ = io.WriteString(w, chatAnswer)
	})
	s := startTunnels(t, host)
	open := func(context.Context, string, string) (net.Conn, error) { return s.openPlain(t, host), nil }
	for version := range 2 {
		transport := &http.Transport{DialContext: open, Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(version == 0)
		transport.Protocols.SetUnencryptedHTTP2(version == 1)
		res, err := (&http.Client{Transport: transport}).Post("http://"+host+"/v1/chat/completions?a=%2F", "application/json", strings.NewReader(chat))
		require.NoError(t, err)
		assert.Equal(t, chatAnswer, textOf(t, res))
		res.Body.Close()
		transport.CloseIdleConnections()
		assert.Equal(t, version+1, res.ProtoMajor)
		assert.Equal(t, "https://"+host+"/v1/other", res.Header.Get("Location"), "unchanged")
		require.Len(t, s.records, version+1)
		assert.EqualValues(t, "0.0075", s.records[version].USD)
	}
	for _, other := range []string{"other.example.com", host + ".example.com"} {
		res, err := http.ReadResponse(bufio.NewReader(s.openPlain(t, other)), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, res.StatusCode)
	}
	assert.Empty(t, s.Bypasses())
	assert.Empty(t, s.Rejections())
}

// openPlain connects as the preload does.
func (s *started) openPlain(t *testing.T, host string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.proxyURL(t).Host)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "CONNECT %s:443 HTTP/1.1\r\nHost: %[1]s:443\r\n%s\r\nMesh-Meter: plain\r\n\r\n", host, basic(s.proxyURL(t)))
	return conn
}

// Older axios versions send a proxy requests with the whole URL.
func TestRequestsForAURLAreCounted(t *testing.T) {
	t.Parallel()
	s := startTunnels(t)
	serve(t, "api.x.ai", func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Proxy-Authorization"))
		_, _ = io.WriteString(w, strings.ReplaceAll(chatAnswer, "gpt-4o", "grok-4"))
	})
	serve(t, "api.groq.com", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	ask := func(host string, headers ...string) int {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.proxyURL(t).Host)
		require.NoError(t, err)
		defer conn.Close()
		fmt.Fprintf(conn, "POST https://%s/v1/chat/completions HTTP/1.1\r\nHost: %[1]s\r\nContent-Length: 2\r\n%s\r\n{}", host, strings.Join(append(headers, ""), "\r\n"))
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	assert.Equal(t, http.StatusProxyAuthRequired, ask("api.x.ai"))
	assert.Empty(t, s.records)
	assert.Equal(t, http.StatusOK, ask("api.x.ai", basic(s.proxyURL(t))))
	assert.Len(t, s.records, 1)
	assert.Equal(t, http.StatusOK, ask("api.groq.com", basic(s.proxyURL(t))))
	assert.Equal(t, []proxy.Bypass{{Host: "api.groq.com", Connections: 1, Sent: 2, Remedy: "api.groq.com=openai:groq"}}, s.Bypasses())
}

// A tunnel through another proxy, which only the program's code names, is reported. A
// tunnel through HTTPS_PROXY is closed and its call counted. Without Node, this checks
// nothing.
func TestTunnelsOfNodeAreReportedOrCounted(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		return
	}
	serve(t, "eu.api.openai.com", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, chatAnswer) })
	const program = `
const net = require('node:net'), tls = require('node:tls');
const { hostname, port, username, password } = new URL(process.argv[1]), own = new URL(process.env.HTTPS_PROXY);
const tunnel = (to, then) => {
	const socket = net.connect(to.port, to.hostname), authorization = 'Basic ' + btoa(to.username + ':' + to.password);
	socket.write('CONNECT eu.api.openai.com:443 HTTP/1.1\r\nHost: eu.api.openai.com:443\r\nProxy-Authorization: ' + authorization + '\r\n\r\n');
	socket.once('data', () => then(tls.connect({ socket, servername: 'eu.api.openai.com', ca: require('node:fs').readFileSync(process.env.SSL_CERT_FILE) })));
};
const post = s => { s.write('POST /v1/chat/completions HTTP/1.1\r\nHost: eu.api.openai.com\r\nContent-Length: 18\r\n\r\n{"model":"gpt-4o"}'); return s; };
tunnel(new URL(process.argv[1]), s => post(s).once('data', () => tunnel(own, s => post(s).once('data', d => { console.log(String(d).slice(0, 12)); process.exit(); }))));`
	s := startTunnels(t)
	files, err := s.WriteFiles(t.TempDir(), nil)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), node, "-e", program, world.ProxyURL)
	cmd.Env = append(s.Environment([]string{"SSL_CERT_FILE=" + world.Roots}), files...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "HTTP/1.1 200\n", string(out))
	assert.Len(t, s.records, 1)
	assert.Equal(t, []proxy.Bypass{{Host: "eu.api.openai.com", Provider: "openai", Connections: 1}}, s.Bypasses())
}

// clients calls a host with each of Node's clients, and prints the statuses.
const clients = `
import https, { request } from 'node:https';
import http2, { connect } from 'node:http2';
const url = process.argv[1], body = '{"model":"gpt-4o","messages":[]}', method = 'POST';
const sent = req => new Promise((resolve, reject) => req.on('response', r => r.resume().on('end', () => resolve(r.statusCode))).on('error', reject).end(body));
const http2Sent = async open => {
	const session = open(new URL(url).origin);
	const status = await new Promise((resolve, reject) => {
		session.on('error', reject);
		const req = session.request({ ':method': method, ':path': new URL(url).pathname });
		req.on('response', headers => req.resume().on('end', () => resolve(headers[':status']))).on('error', reject).end(body);
	});
	session.close();
	return status;
};
console.log((await fetch(url, { method, body })).status);
console.log((await fetch(new Request(url, { method, body }))).status);
console.log(await sent(https.request(url, { method })));
console.log(await sent(request(new URL(url), { method, agent: new https.Agent({ keepAlive: true }) })));
console.log(await sent(https.request({ host: new URL(url).hostname, path: new URL(url).pathname, method, agent: false })));
console.log(await http2Sent(http2.connect));
console.log(await http2Sent(connect));
process.exit();`

// All of Node's clients are counted, in both modes, whether or not Node honors
// HTTPS_PROXY. Without Node, TestConnectionsWithoutTLSAreCounted checks the proxy's half.
func TestClientsOfNodeAreCounted(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		return
	}
	const host = "node.example.com"
	serve(t, host, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, chatAnswer) })
	for _, s := range []*started{startTunnels(t, host), startRouted(t, host)} {
		files, err := s.WriteFiles(t.TempDir(), nil)
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "-e", clients, "https://"+host+"/v1/chat/completions")
		cmd.Env = append(s.Environment([]string{"PATH=" + os.Getenv("PATH")}), files...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Equal(t, strings.Repeat("200\n", 7), string(out))
		assert.Len(t, s.records, 7)
		assert.Empty(t, s.Bypasses())
		assert.Empty(t, s.Rejections())
	}
}
