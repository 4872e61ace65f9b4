package discovery_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// A decoder keeps the last of two equal keys, so that a bill with a second, empty list would be complete with 0.
func TestBillWithARepeatedKeyIsAFailedCall(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	for operation, b := range billings() {
		for _, row := range []struct{ key, begin, second string }{
			{"data", "[", "[]"},
			{"results", "[", "[]"},
			{"amount", "{", `{"value":0,"currency":"usd"}`},
			{"amount", `"`, `"0"`},
			{"value", `"`, "0"},
			{"has_more", "f", "false"},
			{"timeSeries", "[", "[]"},
			{"dataPoints", "[", "[]"},
			{"values", "[", "[0]"},
		} {
			member := `"` + row.key + `":` + row.begin
			if b.service == "deepseek" || !strings.Contains(b.good, member) {
				continue
			}
			tried[operation]++
			escaped := fmt.Sprintf(`"\u%04x%s":`, row.key[0], row.key[1:])
			for _, body := range []string{
				strings.Replace(b.good, member, `"`+row.key+`":`+row.second+","+member, 1),
				strings.Replace(b.good, member, escaped+row.second+","+member, 1),
				strings.Replace(b.good, member, member[:len(member)-1]+row.second+","+escaped+row.begin, 1),
			} {
				s := newFakeServer(map[string]http.HandlerFunc{b.service: respond(body)})
				empty, err := b.call(t.Context(), s.client(t), time.Minute)
				require.NoError(t, err)
				assert.True(t, empty, "%s: %s", operation, body)
				f := requireOneFailure(t, s, discovery.ReasonDecode)
				assert.ErrorContains(t, f.Err, `the key "`+row.key+`" is repeated`)
			}
		}
	}
	assert.Len(t, tried, 6)
}
