package discovery_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func TestFailuresContainNoPartOfTheKey(t *testing.T) {
	t.Parallel()
	key := strings.Join([]string{"wq7Zk2Rr", "b0xT+9dL/", "uV3mYc81", "hNpE5sGa"}, "Jf4")
	part := key[:len(key)-3]
	for name, answer := range map[string]string{
		"body breaks off":      "HTTP/1.1 401 Unauthorized\r\nContent-Length: 500\r\n\r\nbad key " + part,
		"server cuts":          "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nIncorrect API key provided: " + part[:20] + "****",
		"header without colon": "HTTP/1.1 200 OK\r\nX-Echo " + part + "\r\n\r\n",
		"status line":          "HTTP/1.1 " + part + "\r\n\r\n",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = conn.Write([]byte(answer))
			_ = conn.Close()
		}))
		c := discovery.New(discovery.WithBaseURL(discovery.ServiceDeepSeek, server.URL), discovery.WithStrictErrors())
		_, err := c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(key)})
		server.Close()
		require.Error(t, err, name)
		for i := range len(key) - 7 {
			require.NotContains(t, err.Error(), key[i:i+8], name)
		}
	}
}
