package faults_test

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
)

func errorStatuses() []*fault {
	var all []*fault
	for _, code := range []int{400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503, 504} {
		want := status
		switch code {
		case http.StatusUnauthorized, http.StatusForbidden:
			want = denied
		case http.StatusTooManyRequests:
			want = limited
		}
		for kind, text := range map[string]string{"text": "no such luck", "json": "no such luck", "html": "no such luck", "nothing": ""} {
			all = append(all, &fault{name: fmt.Sprintf("%d, %s", code, kind), want: want, status: code, text: text, play: refusal(code, kind)})
		}
	}
	return all
}

func refusal(code int, kind string) func(*exchange) {
	return func(x *exchange) {
		switch kind {
		case "text":
			x.respond(statusLine(code)+"Content-Type: text/plain\r\n", []byte("no such luck"))
		case "json":
			x.respond(statusLine(code)+"Content-Type: application/json\r\n", []byte(`{"detail":"no such luck","error":{"message":"no such luck"}}`))
		case "html":
			html(code, "<html><h1>no such luck</h1></html>")(x)
		default:
			x.respond(statusLine(code), nil)
		}
	}
}

// echoFaults return the request's credentials, in several encodings.
func echoFaults() []*fault {
	body := func(code int, written func(string) string) func(*exchange) {
		return func(x *exchange) {
			x.send(code, []byte("you sent "+written(x.request.Header.Get("Authorization")+x.request.Header.Get("X-Api-Key")+x.request.Header.Get("X-Goog-Api-Key"))))
		}
	}
	inJSON := func(text string) string { quoted, _ := json.Marshal(text); return string(quoted) }
	far := func(text string) string { return strings.Repeat("x", 64<<10-len("you sent ")-20) + text }
	near := func(text string) string { return strings.Repeat("x", 480) + text }
	return []*fault{
		{name: "500 echoes", want: status, status: 500, text: "[REDACTED]", play: body(500, strings.Clone)},
		{name: "401 echoes in JSON", want: denied, status: 401, text: "[REDACTED]", play: body(401, inJSON)},
		{name: "403 echoes in a URL", want: denied, status: 403, text: "[REDACTED]", play: body(403, url.QueryEscape)},
		{name: "429 echoes in a path", want: limited, status: 429, text: "[REDACTED]", play: body(429, url.PathEscape)},
		{name: "502 echoes in HTML", want: status, status: 502, text: "[REDACTED]", play: body(502, template.HTMLEscapeString)},
		{name: "500 echoes at the cut", want: status, status: 500, play: body(500, near)},
		{name: "500 echoes 64 KiB away", want: status, status: 500, play: body(500, far)},
		{name: "200 echoes", want: decode, status: 200, play: body(200, strings.Clone)},
		{name: "200 echoes in a known field", want: decode, status: 200, play: func(x *exchange) {
			x.send(200, []byte(`{"peers":`+inJSON(x.echo())+`,"messages":`+inJSON(x.echo())+`,"data":`+inJSON(x.echo())+`,"models":7,"skus":7,"timeSeries":7,"balance_infos":7,"id":"x","name":7}`))
		}},
		{name: "200 echoes in a field name", want: decode, status: 200, play: func(x *exchange) {
			x.send(200, []byte(`{"`+x.echo()+`":tru}`))
		}},
		{name: "200 echoes in a field name, good JSON", want: decode, status: 200, play: func(x *exchange) {
			x.send(200, []byte(`{"`+strings.ReplaceAll(x.echo(), `"`, `\"`)+`":true}`))
		}},
		{name: "500 breaks off in an echo", want: status, status: 500, text: "no such luck", play: func(x *exchange) {
			x.raw(statusLine(500) + "Content-Length: 9999\r\n\r\nno such luck: " + x.cutEcho())
			x.hangUp()
		}},
		{name: "200 breaks off in an echo", want: network, status: 200, play: func(x *exchange) {
			x.raw(statusLine(200) + "Content-Length: 9999\r\n\r\n{\"peers\": \"" + x.cutEcho())
			x.hangUp()
		}},
		{name: "headers break off in an echo", want: network, play: func(x *exchange) { x.raw("HTTP/1.1 200 OK\r\n" + x.cutEcho()); x.hangUp() }},
		{name: "500 echoes in its headers", want: status, status: 500, play: func(x *exchange) {
			x.respond("HTTP/1.1 500 "+x.echo()+"\r\nWWW-Authenticate: Bearer "+x.echo()+"\r\nX-Echo: "+x.echo()+"\r\n", nil)
		}},
	}
}

// stallFaults refuse a request and then stall in the body. The timeout must not hide the
// reason.
func stallFaults() []*fault {
	stall := func(code int, want outcome) *fault {
		return &fault{name: fmt.Sprintf("%d, body stalls", code), want: want, status: code, text: "no such luck", hangs: true, play: func(x *exchange) {
			x.raw(statusLine(code) + "Content-Length: 9999\r\n\r\nno such luck")
			x.waitForClose()
		}}
	}
	return []*fault{stall(400, late), stall(401, denied), stall(503, late)}
}

// unusualStatuses are rare statuses, and good responses in unusual forms.
func unusualStatuses() []*fault {
	hint := "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
	after := func(prefix string) func(*exchange) {
		return func(x *exchange) { x.raw(prefix); x.send(200, x.good.body) }
	}
	return []*fault{
		{name: "none", want: ok, status: 200},
		{name: "103, then the answer", want: ok, status: 200, play: after(hint)},
		{name: "100 and five 103, then the answer", want: ok, status: 200, play: after("HTTP/1.1 100 Continue\r\n\r\n" + strings.Repeat(hint, 5))},
		{name: "103 without end", want: network, heavy: true, play: func(x *exchange) {
			for long := "HTTP/1.1 103 Early Hints\r\nX-Long: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"; !x.done; {
				x.raw(long)
			}
		}},
		{name: "101, bare", want: status, status: 101, play: func(x *exchange) { x.raw("HTTP/1.1 101 Switching Protocols\r\n\r\n"); x.waitForClose() }},
		{name: "101, upgraded", want: status, status: 101, play: func(x *exchange) {
			x.raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			x.waitForClose()
		}},
		{name: "201, whole", want: ok, status: 201, play: func(x *exchange) { x.send(201, x.good.body) }},
		{name: "204", want: emptyBody, status: 204, play: func(x *exchange) { x.raw("HTTP/1.1 204 No Content\r\n\r\n") }},
		{name: "206, whole", want: ok, status: 206, play: func(x *exchange) { x.send(206, x.good.body) }},
		{name: "206, half", want: decode, status: 206, play: func(x *exchange) { x.send(206, x.good.body[:len(x.good.body)/2]) }},
		{name: "304 not modified", want: status, status: 304, play: func(x *exchange) { x.raw("HTTP/1.1 304 Not Modified\r\n\r\n") }},
		{name: "600", want: status, status: 600, play: func(x *exchange) { x.send(600, nil) }},
		{name: "999", want: status, status: 999, play: func(x *exchange) { x.send(999, nil) }},
		{name: "000", want: network, text: "no status", play: func(x *exchange) { x.send(0, nil) }},
		{name: "400, API key not valid", want: status, status: 400, text: "not valid", play: func(x *exchange) {
			x.send(400, []byte(`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`))
		}},
		{name: "400, incorrect API key", want: status, status: 400, text: "Incorrect", play: func(x *exchange) {
			x.send(400, []byte(`{"code":"invalid argument","error":"Incorrect API key provided: xa***yz."}`))
		}},
	}
}

// redirects lead to another host and must not be followed.
func redirects(elsewhere string) []*fault {
	var all []*fault
	for _, code := range []int{300, 301, 302, 303, 307, 308} {
		all = append(all, &fault{name: fmt.Sprintf("%d to another host", code), want: status, status: code, text: "redirects are not followed; this one leads to the host 127.0.0.1", play: func(x *exchange) {
			x.respond(statusLine(code)+"Location: "+elsewhere+x.request.URL.Path+"\r\n", nil)
		}})
	}
	return append(all, &fault{name: "302 to nowhere", want: status, status: 302, play: func(x *exchange) {
		x.respond(statusLine(302)+"Location: ht!tp://[::bad\r\n", nil)
	}})
}

// retryAfterFaults use every form that Retry-After may have, with the wait it means.
func retryAfterFaults() []*fault {
	const longest = math.MaxInt64 / time.Second * time.Second
	exactly := func(d time.Duration) [2]time.Duration { return [2]time.Duration{d, d} }
	form := func(name, header string, wait [2]time.Duration) *fault {
		return &fault{name: "429, Retry-After " + name, want: limited, status: 429, wait: wait, play: func(x *exchange) { x.respond(statusLine(429)+header, nil) }}
	}
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	return []*fault{
		form("absent", "", exactly(0)),
		form("in seconds", "Retry-After: 17\r\n", exactly(17*time.Second)),
		form("as a date", "Retry-After: "+date(time.Hour)+"\r\n", [2]time.Duration{50 * time.Minute, time.Hour}),
		form("as a date of the past", "Retry-After: "+date(-time.Hour)+"\r\n", exactly(0)),
		form("negative", "Retry-After: -17\r\n", exactly(0)),
		form("a fraction", "Retry-After: 1.5\r\n", exactly(1500*time.Millisecond)),
		form("garbage", "Retry-After: soon\r\n", exactly(0)),
		form("empty", "Retry-After:\r\n", exactly(0)),
		form("huge", "Retry-After: 9223372036854775808\r\n", exactly(longest)),
		form("beyond 64 bits", "Retry-After: 99999999999999999999999\r\n", exactly(longest)),
		form("twice", "Retry-After: 17\r\nRetry-After: 18\r\n", exactly(17*time.Second)),
	}
}
