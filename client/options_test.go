package client_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
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
				if waits(operation) && operation != "Watch" {
					continue
				}
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

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	c, err := client.New("node-a", nil, client.WithGatewayURL("http://gateway.test"), nil)
	require.NoError(t, err)
	assert.Equal(t, "node-a", c.Node())
}
