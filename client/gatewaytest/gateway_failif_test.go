package gatewaytest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestFailIfChoosesRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation == gatewaytest.SendMessage && strings.Contains(r.Body, "lost") {
			return &gatewaytest.Fault{Status: 503, Times: 1}
		}
		return nil
	})
	status := func(content string) int {
		r, err := s.faulty("POST", "/messages", message(content))
		require.NoError(t, err)
		return r.Status
	}
	assert.Equal(t, []int{503, 200, 503}, []int{status("lost"), status("kept"), status("lost")}, "Times is ignored")
	assert.Equal(t, []any{"kept"}, nettest.Column(s.inbox("node-b"), "content"))

	s.FailIf(func(gatewaytest.Request) *gatewaytest.Fault { return &gatewaytest.Fault{Status: 502} })
	assert.Equal(t, []int{502}, s.statuses(1, gatewaytest.ListPeers), "the second replaces the first")
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 429})
	assert.Equal(t, []int{429, 502}, s.statuses(2, gatewaytest.ListPeers), "planned faults come first")
	s.Heal()
	assert.Equal(t, []int{200}, s.statuses(1, gatewaytest.ListPeers))
}

// The function may read the recorded requests; its own request is the last of them.
func TestFailIfFunctionMayCallTheGateway(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if n := len(s.Requests(r.Operation)); n%2 == 0 {
			return &gatewaytest.Fault{Status: 500 + n}
		}
		return nil
	})
	assert.Equal(t, []int{200, 502, 200, 504}, s.statuses(4, gatewaytest.ListPeers))
}
