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

// The figures stand here as they stand in the source document, and not as the constants of the package.
func TestARequestEndsAfterTenSecondsUnlessToldOtherwise(t *testing.T) {
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

func TestTheRegistryIsReliedOnForFiveMinutesUnlessToldOtherwise(t *testing.T) {
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
			time.Sleep(row.pause) // the time of the bubble, which costs nothing
			_, err := c.Send(t.Context(), hello("node-b"))
			require.NoError(t, err)
			assert.Equal(t, row.reads, reads)
		}
	})
}

func TestAResponseHasAtMost32MiBUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	for size, fails := range map[int]bool{32 << 20: false, 32<<20 + 1: true} {
		text, err := answering(t, 200, "text/plain", long("x", size)).Health(t.Context())
		if fails {
			require.ErrorContains(t, err, "larger than allowed")
			assert.Empty(t, text)
			continue
		}
		require.NoError(t, err)
		assert.Len(t, text, size)
	}
}

// The requests have the methods and paths of the document, without a version in path or header and without other parameters.
func TestTheRequestsOfEveryOperation(t *testing.T) {
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
	var asked []string
	for _, r := range g.Requests() {
		asked = append(asked, strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.Query.Encode(), "?"))
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
	slices.Sort(asked)
	assert.Equal(t, []string{
		"GET /health", "GET /messages?limit=1000&to=node-a&unread_only=true", "GET /messages?to=node-a", "GET /peers", "GET /peers",
		"GET /peers/node-b", "GET /threads/" + threadID + "?limit=1", "GET /threads?limit=1&peer=node-a&session_id=s&topic=builds",
		"POST /messages", "POST /messages", "POST /messages/1/read", "POST /peers/register", "POST /threads",
	}, asked, "the second GET /peers is the send's")
}
