package call_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// Some servers close a connection after an internal error without announcing it: it must not be used again.
func TestConnectionIsNotUsedAgainAfterA5xx(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{"": 500, "short": 503, string(make([]byte, 100_000)): 500, "fine": 200, "client's fault": 404} {
		var remote []string
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			remote = append(remote, r.RemoteAddr)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
		own := client(t)
		for range 2 {
			_, _ = call.Do(t.Context(), roomy, sender(own, http.MethodGet, url))
		}
		require.Len(t, remote, 2)
		assert.Equal(t, status < 500, remote[0] == remote[1], status)
	}
}

func TestTransportClosesIdleConnections(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	own := call.Client(&http.Client{Transport: call.Transport(10 * time.Millisecond)})
	_, _ = call.Do(t.Context(), roomy, sender(own, http.MethodGet, server.URL))
	<-closed // the server itself keeps idle connections
}

func TestTimeoutOfAnHTTPClientIsNotReportedAsOurs(t *testing.T) {
	t.Parallel()
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	own := call.Client(&http.Client{Timeout: 20 * time.Millisecond})
	_, failed := call.Do(t.Context(), roomy, sender(own, http.MethodGet, url))
	require.NotNil(t, failed)
	assert.NotContains(t, failed.Error(), "no complete response within")
}

func TestRedirectKeepsItsHost(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"https://login.example:8443/?key=k": "login.example:8443", "//other.example/x": "other.example", "http://[bad": "", "%zz": "", "": "",
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{location}
			w.Header().Set("Redirect-Host", "a header of the server")
			w.WriteHeader(http.StatusFound)
		})
		_, failed := get(t, url, roomy)
		require.NotNil(t, failed)
		assert.Equal(t, want, failed.RedirectHost, location)
		assert.NotContains(t, failed.Header, "Redirect-Host")
	}
}
