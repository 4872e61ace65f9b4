package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
)

// If net/http can't parse a proxy's URL, it connects to a host named http, and every
// connection would fail without a reason.
func TestParentsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"": "", "http://user:password@127.0.0.1:3128": "", "https://proxy.example.com": "", "proxy.example.com:3128": "", "127.0.0.1:3128": "",
		"socks5://127.0.0.1:1080": "HTTPS_PROXY", "http://127.0.0.1:port": "HTTPS_PROXY", "http://user:pass word@127.0.0.1:3128": "HTTPS_PROXY",
	} {
		assert.Equal(t, want, proxy.UnsupportedParent([]string{"HTTPS_PROXY=" + value}), value)
	}
}
