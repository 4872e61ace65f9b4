// The tests share one internet: every host behind the environment's proxy is a test's
// handler.

package proxy_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mesh-gateway/mesh-go/internal/test/internet"
)

var (
	world *internet.Internet
	hosts sync.Map // host -> handler
)

// TestMain sets the proxy and the roots before net/http and crypto/x509 read them.
// 127.0.0.1 is always reached without the proxy.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "proxy-test-")
	if err == nil {
		world, err = internet.Start(filepath.Join(folder, "roots.pem"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler, ok := hosts.Load(r.Host)
			if !ok {
				http.NotFound(w, r)
				return
			}
			handler.(http.HandlerFunc)(w, r)
		}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("HTTPS_PROXY", world.ProxyURL)
	os.Setenv("SSL_CERT_FILE", world.Roots)
	os.Unsetenv("NO_PROXY")
	os.Unsetenv("no_proxy")
	code := m.Run()
	world.Close()
	os.RemoveAll(folder)
	os.Exit(code)
}
