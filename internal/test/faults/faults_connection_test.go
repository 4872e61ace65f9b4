package faults_test

import (
	"io"
	"net"
	"strings"
)

// connectionFaults close the connection, speak another protocol, or stay silent.
func connectionFaults() []*fault {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	return []*fault{
		{name: "connection refused", want: network, refuses: true},
		{name: "closed without a word", want: network, play: (*exchange).hangUp},
		{name: "reset without a word", want: network, play: (*exchange).reset},
		{name: "reset within the headers", want: network, play: func(x *exchange) { x.raw(head + "X-Half"); x.reset() }},
		{name: "reset after the headers", want: network, status: 200, play: func(x *exchange) { x.raw(head + "Content-Length: 9\r\n\r\n"); x.reset() }},
		{name: "reset within the body", want: network, status: 200, play: func(x *exchange) { x.raw(head + "Content-Length: 9\r\n\r\n{"); x.reset() }},
		{name: "closed within the status line", want: network, play: rawThenClose("HTTP/1.1 20")},
		{name: "another protocol", want: network, play: rawThenClose("SSH-2.0-OpenSSH_9.9\r\n")},
		{name: "a body without a head", want: network, play: rawThenClose(`{"peers":[]}`)},
		{name: "status line of the request", want: network, play: func(x *exchange) { x.raw(x.echo() + "\r\n\r\n"); x.hangUp() }},
		{name: "status code of the request", want: network, play: func(x *exchange) { x.raw("HTTP/1.1 " + x.echo() + "\r\n\r\n"); x.hangUp() }},
		{name: "header without a colon", want: network, play: func(x *exchange) { x.raw(head + x.echo() + "\r\n\r\n"); x.hangUp() }},
		{name: "length of the request", want: network, play: func(x *exchange) { x.raw(head + "Content-Length: " + x.echo() + "\r\n\r\n"); x.hangUp() }},
		{name: "two lengths", want: network, play: rawThenClose(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]")},
		{name: "negative length", want: network, play: rawThenClose(head + "Content-Length: -1\r\n\r\n[]")},
		{name: "transfer encoding of the request", want: network, play: func(x *exchange) { x.raw(head + "Transfer-Encoding: " + x.echo() + "\r\n\r\n"); x.hangUp() }},
		{name: "headers without end", want: network, heavy: true, play: func(x *exchange) { x.raw(head + "X-Long: "); x.stream(-1) }},
		{name: "silence", want: late, hangs: true, play: (*exchange).waitForClose},
		{name: "silence after the headers", want: late, status: 200, hangs: true, play: func(x *exchange) { x.raw(head + "Content-Length: 9\r\n\r\n"); x.waitForClose() }},
		{name: "headers in a trickle", want: late, hangs: true, play: func(x *exchange) { x.raw(head); x.drip("X-Drip: drop\r\n") }},
		{name: "body in a trickle", want: late, status: 200, hangs: true, play: func(x *exchange) { x.raw(head + "Content-Length: 1000000\r\n\r\n"); x.drip(" ") }},
		{name: "500, body in a trickle", want: late, status: 500, hangs: true, play: func(x *exchange) { x.raw(statusLine(500) + "\r\n"); x.drip("oops ") }},
	}
}

func rawThenClose(text string) func(*exchange) {
	return func(x *exchange) { x.raw(text); x.hangUp() }
}

// tlsFaults fail in the TLS handshake. The test server's certificate has an unknown
// authority.
func tlsFaults(unknown func(net.Conn)) []*fault {
	return []*fault{
		{name: "TLS of an unknown authority", want: network, https: true, greet: unknown},
		{name: "no TLS where it is due", want: network, https: true, greet: func(conn net.Conn) {
			_, _ = io.ReadAtLeast(conn, make([]byte, 4096), 1)
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nThis is no TLS.")
		}},
		{name: "TLS where none is due", want: network, greet: func(conn net.Conn) {
			_, _ = io.ReadAtLeast(conn, make([]byte, 4096), 1)
			_, _ = io.WriteString(conn, "\x15\x03\x01\x00\x02\x02\x46") // a fatal alert, protocol_version
		}},
	}
}

// proxyFaults come from a proxy instead of the server.
func proxyFaults() []*fault {
	const login = "<!DOCTYPE html><html><title>Sign in</title><form>Please sign in to this network.</form></html>"
	return []*fault{
		{name: "proxy: login page", want: decode, status: 200, proxied: true, play: html(200, login)},
		{name: "proxy: 407", want: status, status: 407, proxied: true, text: "Sign in", play: func(x *exchange) {
			x.respond(statusLine(407)+"Proxy-Authenticate: Basic realm=\"proxy\"\r\nContent-Type: text/html\r\n", []byte(login))
		}},
		{name: "proxy: 511", want: status, status: 511, proxied: true, text: "Sign in", play: html(511, login)},
		{name: "proxy: CONNECT is refused", want: network, proxied: true, https: true, play: func(x *exchange) {
			x.respond(statusLine(407)+"Proxy-Authenticate: Basic realm=\"proxy\"\r\n", []byte(login))
		}},
	}
}

func html(status int, text string) func(*exchange) {
	return func(x *exchange) {
		x.respond(statusLine(status)+"Content-Type: text/html; charset=utf-8\r\n", []byte(text))
	}
}

// cutEcho is an echo that lost its end, like the ones from servers that truncate
// messages.
func (x *exchange) cutEcho() string { text := x.echo(); return text[:len(text)-2] }

// echo returns a request's credentials as sent. It is never empty.
func (x *exchange) echo() string {
	text := "echo"
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		text += strings.ReplaceAll(x.request.Header.Get(name), " ", "_")
	}
	return text
}
