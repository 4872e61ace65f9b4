package nodes

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

// The gateway replaces all capabilities, so the others have to be sent again.
func TestRegisterKeepsOtherCapabilities(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		replace bool
		want    string
	}{
		"other keys stay": {false, `{"name":"node-a","url":"http://a.example","capabilities":{"limit":9007199254740993,"role":"judge"}}`},
		"replaced":        {true, `{"name":"node-a","url":"http://a.example","capabilities":{"role":"judge"},"full":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []byte
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					sent, _ = io.ReadAll(r.Body)
				}
				_, _ = io.WriteString(w, `{"name":"node-a","url":"http://a.example","capabilities":{"limit":9007199254740993,"role":"worker"}}`)
			}))
			defer server.Close()
			c, err := client.New("node-a", client.WithGatewayURL(server.URL))
			require.NoError(t, err)
			defer c.Close()
			o := &registerOptions{
				App:          &app.App{Out: io.Discard, Errs: io.Discard, Client: c, Token: func() (string, error) { return "", nil }},
				capabilities: `{"role":"judge"}`, replace: test.replace,
			}
			require.NoError(t, o.run(t.Context()))
			assert.JSONEq(t, test.want, string(sent))
		})
	}
}
