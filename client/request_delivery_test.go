package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// These tests cover Delivered and Uncertain: whether a message may have arrived although
// a request failed.

// script answers the posts in turn and every GET with a registry that contains node-b.
type script struct {
	posts   int
	answers []http.HandlerFunc
}

func (s *script) handle(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
		return
	}
	s.posts++
	s.answers[min(s.posts, len(s.answers))-1](w, r)
}

// answer returns a handler that sends a status and a body.
func answer(code int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func refused(http.ResponseWriter, *http.Request) {
	panic(&net.OpError{Op: "dial", Err: errors.New("connection refused")})
}

// refusedBy returns a handler that fails like a connection that couldn't be opened.
func refusedBy(err error) http.HandlerFunc {
	return func(http.ResponseWriter, *http.Request) { panic(err) }
}

var (
	noProxy        = refusedBy(&net.OpError{Op: "proxyconnect", Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}})
	noSOCKSProxy   = refusedBy(&net.OpError{Op: "socks connect", Err: errors.New("connection refused")})
	noSuchHost     = refusedBy(&net.DNSError{Err: "no such host"})
	badCertificate = refusedBy(&tls.CertificateVerificationError{Err: errors.New("certificate has expired")})
)

func reset(http.ResponseWriter, *http.Request) {
	panic(&net.OpError{Op: "read", Err: errors.New("connection reset")})
}

func TestUncertainReportsThatAMessageMayHaveArrived(t *testing.T) {
	t.Parallel()
	retry := client.WithRetry(client.RetryPolicy{BaseDelay: 1, MaxDelay: 1})
	limited := answer(429, "application/json", `{"detail":"slow down"}`)
	conflict := answer(409, "application/json", `{"detail":"another message"}`)
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		key     string
		options []client.Option
		want    bool
	}{
		"refusal":                                {answers: []http.HandlerFunc{answer(422, "application/json", `{}`)}},
		"no connection":                          {answers: []http.HandlerFunc{refused}},
		"no connection to the proxy":             {answers: []http.HandlerFunc{noProxy}},
		"no connection to the SOCKS proxy":       {answers: []http.HandlerFunc{noSOCKSProxy}},
		"no such host":                           {answers: []http.HandlerFunc{noSuchHost}},
		"invalid certificate":                    {answers: []http.HandlerFunc{badCertificate}},
		"a status below 200":                     {answers: []http.HandlerFunc{answer(101, "", "")}, want: true},
		"no response":                            {answers: []http.HandlerFunc{reset}, want: true},
		"500":                                    {answers: []http.HandlerFunc{answer(500, "text/plain", "oops")}, want: true},
		"JSON without an id":                     {answers: []http.HandlerFunc{answer(200, "application/json", `{"status":"ok"}`)}, want: true},
		"JSON with an id of null":                {answers: []http.HandlerFunc{answer(201, "application/json", `{"id":null}`)}, want: true},
		"JSON with an id of text":                {answers: []http.HandlerFunc{answer(200, "application/json", `{"id":"queued"}`)}, want: true},
		"a list of receipts":                     {answers: []http.HandlerFunc{answer(200, "application/json", "["+receipt+"]")}, want: true},
		"an empty object":                        {answers: []http.HandlerFunc{answer(200, "", "{}")}, want: true},
		"captive portal":                         {answers: []http.HandlerFunc{answer(200, "text/html", "<html>log in</html>")}, want: true},
		"429 after no response":                  {answers: []http.HandlerFunc{reset, limited}, options: []client.Option{retry}, want: true},
		"no connection after 502":                {answers: []http.HandlerFunc{answer(502, "", ""), refused}, options: []client.Option{retry}, want: true},
		"429 after 429":                          {answers: []http.HandlerFunc{limited}, options: []client.Option{retry}},
		"409 under the caller's key":             {answers: []http.HandlerFunc{conflict}, key: "k", options: []client.Option{retry}},
		"409 under a key that the client made":   {answers: []http.HandlerFunc{conflict}, options: []client.Option{retry}, want: true},
		"409 without a key":                      {answers: []http.HandlerFunc{conflict}},
		"409 under the caller's key after a 504": {answers: []http.HandlerFunc{answer(504, "", ""), conflict}, key: "k", options: []client.Option{retry}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: c.answers}
			req := hello("node-b")
			req.IdempotencyKey = c.key
			_, err := inProcess(t, s.handle, c.options...).Send(t.Context(), req)
			failed := gatewayError(t, err)
			assert.Equal(t, c.want, failed.Uncertain)
			assert.False(t, failed.Delivered)
			if c.want {
				assert.ErrorContains(t, err, "may have been delivered")
			}
		})
	}
}

func TestCaptivePortalThatBreaksOffIsNotTheGateway(t *testing.T) {
	t.Parallel()
	for body, delivered := range map[string]bool{"<html>log in": false, `{"id": 7`: true} {
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
				return
			}
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(body))
		})
		_, err := c.Send(t.Context(), hello("node-b"))
		failed := gatewayError(t, err)
		assert.Equal(t, 200, failed.StatusCode)
		assert.Equal(t, delivered, failed.Delivered, body)
		assert.Equal(t, !delivered, failed.Uncertain, body)
	}
}

// A reply has a key that the client made, too.
func Test409OfAReplyIsUncertain(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-b")
	question := client.MeshMessage{ID: g.Store("node-a", "node-b", "question", "Is the build green?"), FromNode: "node-a"}
	_, err := c.Reply(t.Context(), question, client.SendRequest{Kind: client.KindAnswer, Content: "yes"})
	require.NoError(t, err)
	task := "42"
	question.RelatedTaskID = &task
	_, err = c.Reply(t.Context(), question, client.SendRequest{Kind: client.KindAnswer, Content: "yes"})
	failed := gatewayError(t, err)
	assert.Equal(t, 409, failed.StatusCode)
	assert.True(t, failed.Uncertain)
}

func TestSendWhoseContextHasEndedIsNotUncertain(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	_, err := c.Send(t.Context(), hello("node-b")) // reads the registry
	require.NoError(t, err)
	boom := errors.New("boom")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(boom)
	_, err = c.Send(ctx, hello("node-b"))
	assert.False(t, gatewayError(t, err).Uncertain)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, boom)
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 1)
}

func TestSendThatIsNotRepeatedAfterCloseIsUncertain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []http.HandlerFunc{reset}}
		c := inProcess(t, s.handle, client.WithRetry(client.RetryPolicy{BaseDelay: time.Hour, MaxDelay: time.Hour}))
		time.AfterFunc(time.Minute, func() { _ = c.Close() })
		_, err := c.Send(t.Context(), hello("node-b"))
		require.ErrorIs(t, err, net.ErrClosed)
		assert.True(t, gatewayError(t, err).Uncertain)
		require.ErrorContains(t, err, "the client is closed: use of closed network connection; before that: read: connection reset")
	})
}

func TestErrorAfterRetriesShowsTheEarlierFailure(t *testing.T) {
	t.Parallel()
	s := &script{answers: []http.HandlerFunc{answer(502, "", ""), answer(400, "application/json", `{"detail":"no"}`)}}
	_, err := inProcess(t, s.handle, client.WithRetry(client.RetryPolicy{BaseDelay: 1})).Send(t.Context(), hello("node-b"))
	require.EqualError(t, err, `mesh: POST /messages: status 400: the message may have been delivered: {"detail":"no"}: `+
		`an earlier attempt failed: status 502`)
}

func TestOnlySendIsUncertain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for operation, call := range operations {
			if operation != "Send" {
				assert.False(t, gatewayError(t, call(t.Context(), answering(t, 500, "", ""))).Uncertain, operation)
			}
		}
	})
}

// messageNotFound is the gateway's 404 body for an unknown or read message.
const messageNotFound = `{"detail":"message not found or already read"}`

func Test404IsSuccessOnlyAfterAnAttemptThatMayHaveMarkedTheMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first http.HandlerFunc
		then  string
		fails bool
	}{
		"no response":   {first: reset, then: messageNotFound},
		"503":           {first: answer(503, "", ""), then: messageNotFound},
		"429":           {first: answer(429, "", ""), then: messageNotFound, fails: true},
		"no connection": {first: refused, then: messageNotFound, fails: true},
		"no proxy":      {first: noProxy, then: messageNotFound, fails: true},
		"unknown path":  {first: reset, then: `{"detail":"Not Found"}`, fails: true},
		"of a proxy":    {first: reset, then: "404 page not found", fails: true},
	} {
		s := &script{answers: []http.HandlerFunc{c.first, answer(404, "application/json", c.then)}}
		err := inProcess(t, s.handle, client.WithRetry(client.RetryPolicy{BaseDelay: 1})).MarkRead(t.Context(), 7)
		if c.fails {
			assert.Equal(t, 404, gatewayError(t, err).StatusCode, name)
		} else {
			require.NoError(t, err, name)
		}
		assert.Equal(t, 2, s.posts, name)
	}
}

func TestCloseEndsAPauseBetweenAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t, func(http.ResponseWriter, *http.Request) { reset(nil, nil) },
			client.WithRetry(client.RetryPolicy{BaseDelay: time.Hour, MaxDelay: time.Hour}))
		failed := make(chan error, 1)
		go func() { _, err := c.ListPeers(t.Context()); failed <- err }()
		synctest.Wait()
		begin := time.Now()
		require.NoError(t, c.Close())
		require.ErrorIs(t, <-failed, net.ErrClosed)
		assert.Zero(t, time.Since(begin))
	})
}

func TestInvalidReceiptIsDelivered(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]gatewaytest.Fault{
		"empty":         {Body: ""},
		"no content":    {Status: 204},
		"missing field": {Body: `{"id":1}`, Status: 201},
		"cut off":       {Body: receipt[:40], HangUp: true},
		"too large":     {Body: receipt + long(" ", 2000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gateway(t)
			c := connect(t, g, "node-a", client.WithMaxResponseBytes(1000), client.WithRetry(client.RetryPolicy{BaseDelay: 1}))
			g.Fail(gatewaytest.SendMessage, withStatus(fault))
			got, err := c.Send(t.Context(), hello("node-b"))
			assert.Nil(t, got)
			failed := gatewayError(t, err)
			assert.True(t, failed.Delivered)
			assert.False(t, failed.Uncertain)
			assert.Equal(t, withStatus(fault).Status, failed.StatusCode)
			assert.Contains(t, err.Error(), "delivered")
			assert.Len(t, g.Requests(gatewaytest.SendMessage), 1, "it is not sent twice, not even under a key")
		})
	}
}

func withStatus(f gatewaytest.Fault) gatewaytest.Fault {
	if f.Status == 0 {
		f.Status = 200
	}
	return f
}

func TestRejectedMessageIsNotDelivered(t *testing.T) {
	t.Parallel()
	for _, fault := range []gatewaytest.Fault{{Status: 500}, {Status: 302}, {Status: 404}, {HangUp: true}} {
		g := gateway(t)
		c := connect(t, g, "node-a")
		g.Fail(gatewaytest.SendMessage, fault)
		_, err := c.Send(t.Context(), hello("node-b"))
		assert.False(t, gatewayError(t, err).Delivered)
	}
	synctest.Test(t, func(t *testing.T) {
		c := answering(t, 200, "text/plain", "garbage")
		for operation, call := range operations {
			if operation != "Send" && operation != "Health" && operation != "MarkRead" {
				assert.False(t, gatewayError(t, call(t.Context(), c)).Delivered, operation)
			}
		}
	})
}
