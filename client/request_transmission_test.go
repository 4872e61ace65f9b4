package client_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/test/http2"
)

// These tests cover requests that HTTP/2 transports would repeat by themselves.

// refusals end an HTTP/2 request in ways that make net/http repeat it.
var refusals = map[string]func(http2.Request){
	"REFUSED_STREAM": func(r http2.Request) { r.Reset(http2.RefusedStream) },
	"PROTOCOL_ERROR": func(r http2.Request) { r.Reset(http2.ProtocolError) },
	"GOAWAY":         func(r http2.Request) { r.GoAway(http2.NoError) },
	"GOAWAY, closed": func(r http2.Request) { r.GoAway(http2.NoError); r.Drop() },
	"closed":         http2.Request.Drop,
}

// refusing returns a client that speaks HTTP/2 to a server that refuses every request
// with a body.
func refusing(t *testing.T, refuse func(http2.Request), opts ...client.Option) (*client.MeshClient, *http2.Server) {
	t.Helper()
	server := http2.New(t, func(r http2.Request) {
		if r.HasBody {
			refuse(r)
			return
		}
		r.Answer(`[{"name":"node-b"}]`)
	})
	return newClient(t, "node-a", append(opts, client.WithGatewayURL(server.URL), client.WithHTTPClient(server.Client()))...), server
}

func TestRefusedRequestsWithABodyAreSentOnce(t *testing.T) {
	t.Parallel()
	for name, refuse := range refusals {
		for _, operation := range []string{"Send", "Reply", "Register", "OpenThread"} {
			c, server := refusing(t, refuse)
			failed := gatewayError(t, operations[operation](t.Context(), c))
			assert.EqualValues(t, 1, server.WithBody.Load(), "%s %s", operation, name)
			assert.Equal(t, operation == "Send" || operation == "Reply", failed.Uncertain, "%s %s", operation, name)
			assert.False(t, failed.Delivered)
			assert.NotContains(t, failed.Error(), "GetBody")
		}
	}
}

// The gateway goes down after refusing the message.
func TestRefusedMessageIsUncertainAfterTheGatewayIsGone(t *testing.T) {
	t.Parallel()
	var server *http2.Server
	c, server := refusing(t, func(r http2.Request) {
		_ = server.Listener.Close()
		r.GoAway(http2.NoError)
		r.Drop()
	})
	failed := gatewayError(t, operations["Send"](t.Context(), c))
	assert.True(t, failed.Uncertain)
	assert.EqualValues(t, 1, server.WithBody.Load())
}

// With a retry policy the key keeps the message from being stored twice.
func TestRefusedMessageIsRepeatedWithRetry(t *testing.T) {
	t.Parallel()
	refused := false
	c, server := refusing(t, func(r http2.Request) {
		if !refused {
			refused = true
			r.GoAway(http2.NoError)
			return
		}
		r.Answer(receipt)
	}, client.WithRetry(client.RetryPolicy{BaseDelay: time.Nanosecond}))
	_, err := c.Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	assert.EqualValues(t, 2, server.WithBody.Load())
}

func TestRefusedRequestsWithoutABodyAreSentThreeTimes(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"MarkRead", "Fetch", "ListPeers", "GetPeer", "ListThreads", "Health"} {
		server := http2.New(t, refusals["GOAWAY"])
		c := newClient(t, "node-a", client.WithGatewayURL(server.URL), client.WithHTTPClient(server.Client()))
		failed := gatewayError(t, operations[operation](t.Context(), c))
		assert.EqualValues(t, 3, server.Empty.Load(), operation)
		assert.ErrorContains(t, failed, "transmitted 3 times without a response")
	}
}

// A transport's last attempt may find no gateway although an earlier one arrived.
func TestTransmittedRequestMayHaveHadItsEffect(t *testing.T) {
	t.Parallel()
	for _, transmitted := range []bool{true, false} {
		requests := 0
		c := newClient(t, "node-a", client.WithGatewayURL("http://gateway.test"), client.WithRetry(client.RetryPolicy{BaseDelay: 1}),
			client.WithHTTPClient(&http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
				if requests++; requests > 1 {
					return &http.Response{StatusCode: http.StatusNotFound, Body: io.NopCloser(strings.NewReader(`{"detail":"message not found or already read"}`))}, nil
				}
				if transmitted {
					httptrace.ContextClientTrace(req.Context()).WroteHeaders()
				}
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			})}))
		err := c.MarkRead(t.Context(), 7)
		assert.Equal(t, transmitted, err == nil, "the 404 is of a message that is marked already: %v", err)
	}
}
