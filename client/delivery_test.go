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

// refusedBy returns a handler that fails as a connection does that could not be established.
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
	_, err := c.Reply(t.Context(), question, client.KindAnswer, "yes")
	require.NoError(t, err)
	task := "42"
	question.RelatedTaskID = &task
	_, err = c.Reply(t.Context(), question, client.KindAnswer, "yes")
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
	for operation, call := range operations {
		if operation != "Send" {
			assert.False(t, gatewayError(t, call(t.Context(), answering(t, 500, "", ""))).Uncertain, operation)
		}
	}
}

// messageNotFound is the body of the gateway's 404 for a message that is unknown or read.
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

func TestBodyOfAFailureThatStallsIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			_, _ = w.Write([]byte("the reason"))
			_ = http.NewResponseController(w).Flush()
			stall(r)
		}, client.WithTimeout(time.Minute))
		err := c.MarkRead(t.Context(), 7)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "status 400: the reason: no complete response within 1m0s")
	})
}

func TestTimeoutOfAnHTTPClientIsNotReportedAsOurs(t *testing.T) {
	t.Parallel()
	c := serving(t, func(_ http.ResponseWriter, r *http.Request) { stall(r) },
		client.WithHTTPClient(&http.Client{Timeout: 20 * time.Millisecond}))
	_, err := c.ListPeers(t.Context())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NotContains(t, err.Error(), "within 10s")
}

func TestRedirectIsExplainedByItsHost(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"https://login.example/?key=hunter2": "redirects are not followed, this one leads to the host login.example",
		"http://[bad?key=hunter2":            "status 302",
	} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{location}
			w.WriteHeader(http.StatusFound)
		})
		_, err := c.ListPeers(t.Context())
		require.ErrorContains(t, err, want)
		assert.NotContains(t, shown(err), "hunter2")
	}
}

func Test404OfAFixedPathHintsAtTheBasePath(t *testing.T) {
	t.Parallel()
	for operation, call := range operations {
		err := call(t.Context(), answering(t, 404, "text/html", "not here"))
		require.ErrorContains(t, err, "not here", operation)
		require.ErrorContains(t, err, "check the base path", operation)
	}
	err := answering(t, 404, "application/json", messageNotFound).MarkRead(t.Context(), 1)
	assert.NotContains(t, err.Error(), "base path", "the message is unknown")
}

func TestNilContextsAndZeroClientsAreValueErrors(t *testing.T) {
	t.Parallel()
	for operation, call := range operations {
		if operation != "Watch" { // whose test returns ctx.Err()
			assert.Equal(t, "context", valueError(t, call(nil, answering(t, 200, "", ""))).Field, operation)
		}
		require.ErrorContains(t, call(t.Context(), new(client.MeshClient)), "client.New", operation)
	}
	for _, err := range answering(t, 200, "", "").Watch(nil, client.WatchOptions{}) { //nolint:staticcheck // a nil context is tested
		assert.Equal(t, "context", valueError(t, err).Field)
	}
	require.NoError(t, new(client.MeshClient).Close())
	require.NoError(t, (*client.MeshClient)(nil).Close())
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
