package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/closed"
)

// inProcessTransport answers requests by calling a handler. A handler that panics with an error is a failing network.
type inProcessTransport http.HandlerFunc

func (h inProcessTransport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	defer func() {
		if failure := recover(); failure != nil {
			resp, err = nil, failure.(error)
		}
	}()
	w := httptest.NewRecorder()
	h(w, req)
	return w.Result(), nil
}

func TestRedirectsAreErrorsAndNeverFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Error("the redirect was followed")
		}))
		t.Cleanup(elsewhere.Close)
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		})
		for operation, call := range operations {
			assert.Equal(t, status, gatewayError(t, call(t.Context(), c)).StatusCode, operation)
		}
	}
}

func TestInvalidReceiptIsDelivered(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]gatewaytest.Fault{
		"empty":         {Body: ""},
		"no content":    {Status: 204},
		"missing field": {Body: `{"id":1}`, Status: 201},
		"cut off":       {Body: receipt[:40], HangUp: true},
		"too large":     {Body: receipt + long(" ", 2000)},
		"list":          {Body: "[" + receipt + "]"},
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
	for operation, call := range operations {
		if operation != "Send" && operation != "Health" && operation != "MarkRead" {
			err := call(t.Context(), answering(t, 200, "text/plain", "garbage"))
			assert.False(t, gatewayError(t, err).Delivered, operation)
		}
	}
}

func TestUnreadableBodyIsQuotedUpTo200Characters(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "text/html", "<html>\n"+long("é", 300))
	for _, operation := range []string{"ListPeers", "Register", "Fetch"} {
		err := operations[operation](t.Context(), c)
		failed := gatewayError(t, err)
		assert.Len(t, []rune(failed.Body), 200, operation)
		assert.Contains(t, err.Error(), `not JSON: "<html>\n`+long("é", 193)+`"`, operation)
	}
}

func TestEmptyBodies(t *testing.T) {
	t.Parallel()
	_, err := answering(t, 200, "application/json", "\u00a0\u2003").ListPeers(t.Context())
	require.ErrorContains(t, err, "not JSON", "these blanks are not white space in JSON")
	for _, body := range []string{"", " \n"} {
		c := answering(t, 200, "application/json", body)
		peers, err := c.ListPeers(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []client.MeshPeer{}, peers)
		inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
		require.NoError(t, err)
		assert.Equal(t, []client.MeshMessage{}, inbox)
		require.NoError(t, c.MarkRead(t.Context(), 1))
		_, err = c.Register(t.Context(), client.RegisterRequest{})
		require.ErrorContains(t, err, "empty body", "a resource has to come back")
	}
	require.NoError(t, answering(t, 204, "", "").MarkRead(t.Context(), 1))
}

func TestWebPageIsNotASuccess(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"MarkRead", "Fetch", "ListPeers", "ListThreads"} {
		for _, page := range []struct{ contentType, body string }{
			{"text/html", "<html>Please sign in.</html>"}, {"text/html; charset=utf-8", " \n"}, {"TEXT/HTML", "[]"},
			{"application/json", "<html>"}, {"", "\ufeff \n<!DOCTYPE html>"},
		} {
			err := operations[operation](t.Context(), answering(t, 200, page.contentType, page.body))
			assert.Equal(t, 200, gatewayError(t, err).StatusCode, "%s %q", operation, page)
		}
		require.NoError(t, operations[operation](t.Context(), answering(t, 200, "text/html", "")), "frameworks send this for no content")
	}
	for _, body := range []string{"", "ok", "{}", "null", `{"id":1,"read_at":"now"}`} {
		require.NoError(t, answering(t, 200, "text/plain", body).MarkRead(t.Context(), 1))
	}
}

func TestWebPageThatBreaksOffIsNotASuccess(t *testing.T) {
	t.Parallel()
	for body, fails := range map[string]bool{"<html>Please": true, `{"id":`: false} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(body))
		})
		assert.Equal(t, fails, c.MarkRead(t.Context(), 1) != nil, body)
	}
}

func TestOnlyErrorsOfTheInboxAdviseALowerLimit(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", long(" ", 2000), client.WithMaxResponseBytes(1000))
	for operation, call := range operations {
		err := call(t.Context(), c)
		if !errors.Is(err, client.ErrTooLarge) {
			continue // MarkRead ignores the body, and Send reads more of the registry
		}
		inbox := operation == "Fetch" || operation == "Watch"
		assert.Equal(t, inbox, strings.Contains(err.Error(), "lower Limit"), "%s: %v", operation, err)
		assert.ErrorContains(t, err, "raise WithMaxResponseBytes", operation)
	}
}

func TestResponsesAreLimited(t *testing.T) {
	t.Parallel()
	body := `[{"name":"node-b"}]`
	for name, row := range map[string]struct {
		limit int64
		fails bool
	}{
		"exactly the limit": {int64(len(body)), false},
		"one byte over":     {int64(len(body)) - 1, true},
	} {
		for _, declared := range []bool{true, false} {
			t.Run(name+", length declared "+strconv.FormatBool(declared), func(t *testing.T) {
				t.Parallel()
				c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
					if declared {
						w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					}
					_, _ = w.Write([]byte(body[:5]))
					w.(http.Flusher).Flush()
					_, _ = w.Write([]byte(body[5:]))
				}, client.WithMaxResponseBytes(row.limit))
				peers, err := c.ListPeers(t.Context())
				if !row.fails {
					require.NoError(t, err)
					assert.Len(t, peers, 1)
					return
				}
				assert.Equal(t, 200, gatewayError(t, err).StatusCode)
				assert.Nil(t, peers)
				require.ErrorContains(t, err, "larger than allowed")
			})
		}
	}
}

func TestTimeoutAndContextAreVisible(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	for _, op := range []gatewaytest.Operation{
		gatewaytest.ListPeers, gatewaytest.RegisterPeer, gatewaytest.ListMessages, gatewaytest.MarkMessageRead, gatewaytest.GetHealth,
		gatewaytest.GetPeer, gatewaytest.OpenThread, gatewaytest.GetThread, gatewaytest.ListThreads,
	} {
		g.Fail(op, gatewaytest.Fault{Times: -1, Delay: time.Hour})
	}
	slow := connect(t, g, "node-a", client.WithTimeout(20*time.Millisecond))
	patient := connect(t, g, "node-a")
	for operation, call := range operations {
		err := call(t.Context(), slow)
		require.ErrorIs(t, err, context.DeadlineExceeded, operation)
		require.ErrorContains(t, err, "no complete response within 20ms", operation)
		assert.Zero(t, gatewayError(t, err).StatusCode)

		if operation == "Watch" {
			continue // it ends when its context does
		}
		hurried, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err = call(hurried, patient)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, operation)
		require.NotContains(t, err.Error(), "no complete response within", "%s: that was the caller's own deadline", operation)

		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		err = call(cancelled, patient)
		require.ErrorIs(t, err, context.Canceled, operation)
		gatewayError(t, err)
	}
}

func TestTimeoutCoversTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`[`))
			_ = http.NewResponseController(w).Flush()
			stall(r)
		}, client.WithTimeout(time.Minute))
		begin := time.Now()
		_, err := c.ListPeers(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 200, gatewayError(t, err).StatusCode)
		assert.Equal(t, time.Minute, time.Since(begin))
	})
}

func TestRefusedConnectionIsAGatewayError(t *testing.T) {
	t.Parallel()
	c := newClient(t, "node-a", client.WithGatewayURL("http://"+closed.Address(t)))
	for operation, call := range operations {
		failed := gatewayError(t, call(t.Context(), c))
		assert.Zero(t, failed.StatusCode, operation)
		require.ErrorContains(t, failed, "connection refused", operation)
	}
}

func TestContextThatEndsInAnErrorBodyIsVisible(t *testing.T) {
	t.Parallel()
	for operation, call := range operations {
		if operation == "Watch" {
			continue // it ends when its context does
		}
		ctx, cancel := context.WithCancel(t.Context())
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			_, _ = w.Write([]byte("half a"))
			_ = http.NewResponseController(w).Flush()
			stall(r)
		}, client.WithHTTPClient(&http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := http.DefaultTransport.RoundTrip(req)
			cancel() // once the status is here
			return resp, err
		})}))
		err := call(ctx, c)
		require.ErrorIs(t, err, context.Canceled, operation)
		if operation != "Send" && operation != "Reply" { // whose registry request is not its own
			assert.Equal(t, 500, gatewayError(t, err).StatusCode, "and the status is not lost")
		}
	}
}

// net/http returns the cause of a context instead of its error.
func TestContextWithACauseIsVisible(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for operation, call := range operations {
		if operation == "Watch" {
			continue
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		c := serving(t, func(_ http.ResponseWriter, r *http.Request) { cancel(boom); stall(r) })
		require.ErrorIs(t, call(ctx, c), context.Canceled, operation)
	}
}

// stall waits until the client has gone. The server only notices that when the request has been read.
func stall(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestTransportWithoutAResponseIsAnError(t *testing.T) {
	t.Parallel()
	c := newClient(t, "node-a", client.WithGatewayURL("http://h"), client.WithHTTPClient(&http.Client{
		Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, nil }), //nolint:nilnil // that is the point
	}))
	for _, call := range operations {
		gatewayError(t, call(t.Context(), c))
	}
}
