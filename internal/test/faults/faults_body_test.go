package faults_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"sync"
)

// smallCap is a size limit that every good body fits into.
const smallCap = 64 << 10

// lengthFaults have a wrong or unknown length.
func lengthFaults() []*fault {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	half := func(x *exchange) []byte { return x.good.body[:len(x.good.body)/2] }
	chunks := func(x *exchange, end string) {
		x.raw(fmt.Sprintf("%sTransfer-Encoding: chunked\r\nTrailer: X-Trail\r\n\r\n%x\r\n%s\r\n%s", head, len(x.good.body), x.good.body, end))
	}
	return []*fault{
		{name: "half a body", want: network, status: 200, play: func(x *exchange) {
			x.raw(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(x.good.body), half(x)))
			x.hangUp()
		}},
		{name: "a byte short", want: network, status: 200, play: func(x *exchange) {
			x.raw(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(x.good.body)+1, x.good.body))
			x.hangUp()
		}},
		{name: "a byte more", want: ok, status: 200, play: func(x *exchange) {
			x.respond(head+"Connection: close\r\n", x.good.body) // otherwise the byte might be read as the next response
			x.raw("}")
			x.hangUp()
		}},
		{name: "half a body, no length", want: decode, status: 200, play: func(x *exchange) { x.raw(head + "\r\n" + string(half(x))); x.hangUp() }},
		{name: "HTTP/1.0", want: ok, status: 200, play: func(x *exchange) { x.raw("HTTP/1.0 200 OK\r\n\r\n" + string(x.good.body)); x.hangUp() }},
		{name: "chunks and a trailer", want: ok, status: 200, play: func(x *exchange) { chunks(x, "0\r\nX-Trail: "+x.echo()+"\r\n\r\n") }},
		{name: "chunks without an end", want: network, status: 200, play: func(x *exchange) { chunks(x, ""); x.hangUp() }},
		{name: "chunks, then garbage", want: network, status: 200, play: func(x *exchange) { chunks(x, x.echo()+"\r\n"); x.hangUp() }},
		{name: "chunks, then a bad trailer", want: network, status: 200, play: func(x *exchange) { chunks(x, "0\r\n"+x.echo()+"\r\n\r\n"); x.hangUp() }},
		{name: "chunk of a negative size", want: network, status: 200, play: func(x *exchange) {
			x.raw(head + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n")
			x.hangUp()
		}},
	}
}

// largeFaults exceed the size limit. Heavy ones are read up to the default limit, 32 MiB.
func largeFaults() []*fault {
	const head, zipped = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", "Content-Encoding: gzip\r\n"
	const hundred = 100 << 20
	announced := func(x *exchange) {
		x.raw(fmt.Sprintf("%sContent-Length: %d\r\n\r\n", head, hundred))
		x.stream(hundred)
	}
	unannounced := func(n int) func(*exchange) {
		return func(x *exchange) { x.raw(head + "\r\n"); x.stream(n); x.hangUp() }
	}
	bomb := func(x *exchange) { x.respond(head+zipped, gzipBomb()) }
	return []*fault{
		{name: "100 MB, announced", want: large, status: 200, play: announced},
		{name: "100 MB, announced, small limit", want: large, status: 200, maxBytes: smallCap, play: announced},
		{name: "100 MB", want: large, status: 200, heavy: true, play: unannounced(hundred)},
		{name: "100 MB, small limit", want: large, status: 200, maxBytes: smallCap, play: unannounced(hundred)},
		{name: "a body without end", want: large, status: 200, maxBytes: smallCap, play: unannounced(-1)},
		{name: "500 without end", want: status, status: 500, text: "500", play: func(x *exchange) { x.raw(statusLine(500) + "\r\n"); x.stream(-1) }},
		{name: "302 without end", want: status, status: 302, play: func(x *exchange) { x.raw(statusLine(302) + "\r\n"); x.stream(-1) }},
		{name: "gzip bomb", want: large, status: 200, heavy: true, play: bomb},
		{name: "gzip bomb, small limit", want: large, status: 200, maxBytes: smallCap, play: bomb},
	}
}

// gzipBomb returns 40 MB, compressed.
var gzipBomb = sync.OnceValue(func() []byte {
	var bomb bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	for range 40 << 20 / len(block) {
		_, _ = zip.Write(block)
	}
	_ = zip.Close()
	return bomb.Bytes()
})

func zip(body []byte) []byte {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(body)
	_ = w.Close()
	return zipped.Bytes()
}

// encodingFaults vary Content-Encoding and Content-Type. A body that parses as JSON is
// JSON, whatever its type says.
func encodingFaults() []*fault {
	const okay = "HTTP/1.1 200 OK\r\n"
	zipped := func(cut func([]byte) []byte) func(*exchange) {
		return func(x *exchange) { x.respond(okay+"Content-Encoding: gzip\r\n", cut(zip(x.good.body))) }
	}
	typed := func(contentType string) func(*exchange) {
		return func(x *exchange) { x.respond(okay+contentType, x.good.body) }
	}
	return []*fault{
		{name: "gzip", want: ok, status: 200, play: zipped(bytes.Clone)},
		{name: "gzip, cut", want: network, status: 200, play: zipped(func(b []byte) []byte { return b[:len(b)-9] })},
		{name: "gzip of another format", want: network, status: 200, play: func(x *exchange) { x.respond(okay+"Content-Encoding: gzip\r\n", x.good.body) }},
		{name: "an encoding that was not requested", want: decode, status: 200, play: func(x *exchange) { x.respond(okay+"Content-Encoding: br\r\n", []byte("\x1b\x03\x00\xf8")) }},
		{name: "good JSON, no type", want: ok, status: 200, play: typed("")},
		{name: "good JSON as HTML", want: ok, status: 200, play: typed("Content-Type: text/html\r\n")},
		{name: "good JSON with an invalid type", want: ok, status: 200, play: typed("Content-Type: ;;;\r\n")},
		{name: "good JSON in Latin-1", want: ok, status: 200, play: typed("Content-Type: application/json; charset=iso-8859-1\r\n")},
		{name: "HTML", want: decode, status: 200, play: html(200, "<html><h1>It works!</h1></html>")},
		{name: "HTML as JSON", want: decode, status: 200, play: respond("<html><h1>It works!</h1></html>")},
		{name: "bad JSON, no type", want: decode, status: 200, play: func(x *exchange) { x.respond(okay, []byte(`{"peers": [}`)) }},
	}
}

func respond(body string) func(*exchange) { return func(x *exchange) { x.send(200, []byte(body)) } }

// wrongBodies are not JSON, or not the documented JSON.
func wrongBodies() []*fault {
	around := func(before, after string) func(*exchange) {
		return func(x *exchange) { x.send(200, []byte(before+string(x.good.body)+after)) }
	}
	return []*fault{
		{name: "an empty body", want: emptyBody, status: 200, play: respond("")},
		{name: "only white space", want: emptyBody, status: 200, play: respond(" \r\n\t")},
		{name: "[]", want: emptyArray, status: 200, play: respond("[]")},
		{name: "{}", want: decode, status: 200, play: respond("{}")},
		{name: "null", want: decode, status: 200, play: respond("null")},
		{name: "true", want: decode, status: 200, play: respond("true")},
		{name: "a number", want: decode, status: 200, play: respond("42")},
		{name: "a string", want: decode, status: 200, play: respond(`"peers"`)},
		{name: "an error with 200", want: decode, status: 200, play: respond(`{"error":{"code":500,"message":"no such luck"}}`)},
		{name: "white space around", want: ok, status: 200, play: around("\n ", " \r\n\t")},
		{name: "more after it", want: decode, status: 200, play: around("", "x")},
		{name: "two documents", want: decode, status: 200, play: func(x *exchange) { x.send(200, bytes.Repeat(x.good.body, 2)) }},
		{name: "a byte order mark", want: decode, status: 200, play: around("\uFEFF", "")},
		{name: "UTF-16", want: decode, status: 200, play: func(x *exchange) {
			x.send(200, []byte(strings.Join(strings.Split(string(x.good.body), ""), "\x00")))
		}},
	}
}
