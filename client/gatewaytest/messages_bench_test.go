package gatewaytest_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// BenchmarkDrain compares the cost per message for 10,000 messages and for 1,000, each
// listed and marked read: 1 if the time is linear.
func BenchmarkDrain(b *testing.B) {
	var small, large time.Duration
	for b.Loop() {
		small += drain(b, 1_000) / 1_000
		large += drain(b, 10_000) / 10_000
	}
	b.ReportMetric(float64(large)/float64(small), "ratio")
}

func drain(b *testing.B, n int) time.Duration {
	b.Helper()
	g := gatewaytest.New(b, gatewaytest.WithoutRequestLog())
	defer g.Close()
	for range n {
		g.Store("node-a", "node-b", "fyi", "hello")
	}
	began := time.Now()
	for id := n; id > 0; id-- { // the newest first, as they are listed
		for _, request := range [][2]string{{"GET", "/messages?to=node-b&unread_only=true&limit=1"}, {"POST", "/messages/" + strconv.Itoa(id) + "/read"}} {
			w := httptest.NewRecorder()
			g.Handler().ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), request[0], request[1], nil))
			require.Equal(b, http.StatusOK, w.Code)
		}
	}
	return time.Since(began)
}
