package client_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// The defaults are literals here, so that a changed constant fails.
func TestDefaultTimeoutIsTenSeconds(t *testing.T) {
	t.Parallel()
	for want, opts := range map[time.Duration][]client.Option{
		10 * time.Second: nil, 3 * time.Second: {client.WithTimeout(3 * time.Second)}, time.Hour: {client.WithTimeout(time.Hour)},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := inProcess(t, func(_ http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				panic(r.Context().Err())
			}, opts...)
			for operation, call := range operations {
				begin := time.Now()
				require.ErrorIs(t, call(t.Context(), c), context.DeadlineExceeded, operation)
				assert.Equal(t, want, time.Since(begin), operation)
			}
		})
	}
}

func TestDefaultRegistryTTLIsFiveMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				reads++
				_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
				return
			}
			_, _ = w.Write([]byte(receipt))
		})
		for _, row := range []struct {
			pause time.Duration
			reads int
		}{{0, 1}, {5*time.Minute - 1, 1}, {1, 2}} {
			time.Sleep(row.pause) // virtual time
			_, err := c.Send(t.Context(), hello("node-b"))
			require.NoError(t, err)
			assert.Equal(t, row.reads, reads)
		}
	})
}

func TestDefaultMaxResponseBytesIs32MiB(t *testing.T) {
	t.Parallel()
	for size, fails := range map[int]bool{32 << 20: false, 32<<20 + 1: true} {
		c := answering(t, 200, "text/plain", long("x", size), client.WithTimeout(10*time.Minute)) // a slow machine takes its time
		text, err := c.Health(t.Context())
		if fails {
			require.ErrorContains(t, err, "larger than allowed")
			assert.Empty(t, text)
			continue
		}
		require.NoError(t, err)
		assert.Len(t, text, size)
	}
}

// No request has a version in its path or headers, or a parameter that is not documented.
func TestRequestOfEveryOperation(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithThreads(threadID))
	c := connect(t, g, "node-a")
	id := g.Store("node-b", "node-a", "fyi", "for Watch and MarkRead")
	for operation, call := range operations {
		if operation != "MarkRead" {
			require.NoError(t, call(t.Context(), c), operation)
		}
	}
	require.NoError(t, c.MarkRead(t.Context(), id))
	var sent []string
	for _, r := range g.Requests() {
		sent = append(sent, strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.Query.Encode(), "?"))
		headers := []string{"User-Agent", "Accept-Encoding"}
		if r.Method == http.MethodPost {
			headers = append(headers, "Content-Length")
		}
		if r.Body != "" {
			headers = append(headers, "Content-Type")
		}
		for name := range r.Header {
			assert.Contains(t, headers, name, r.Operation)
		}
	}
	slices.Sort(sent)
	assert.Equal(t, []string{
		"GET /health", "GET /messages?limit=1000&to=node-a", "GET /messages?limit=1000&to=node-a&unread_only=true", "GET /messages?to=node-a", "GET /peers", "GET /peers",
		"GET /peers/node-b", "GET /threads/" + threadID + "?limit=1", "GET /threads?limit=1&peer=node-a&session_id=s&topic=builds",
		"POST /messages", "POST /messages", "POST /messages/1/read", "POST /peers/register", "POST /threads",
	}, sent, "Send and Reply share one GET /peers; ListPeers sends another")
}
