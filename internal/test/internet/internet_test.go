package internet_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/internet"
)

func TestEveryHostIsTheHandler(t *testing.T) {
	t.Parallel()
	i, err := internet.Start(filepath.Join(t.TempDir(), "roots.pem"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host)
	}))
	require.NoError(t, err)
	t.Cleanup(i.Close)
	proxy, err := url.Parse(i.ProxyURL)
	require.NoError(t, err)
	text, err := os.ReadFile(i.Roots)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(text))
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: roots}}}
	for _, host := range []string{"api.openai.com", "example.com"} {
		res, err := client.Get("https://" + host + "/")
		require.NoError(t, err)
		got, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.Equal(t, host, string(got))
	}
	assert.Equal(t, []string{"api.openai.com:443", "example.com:443"}, i.Opened())
	client.CloseIdleConnections()
}
