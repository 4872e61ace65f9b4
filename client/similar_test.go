package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestNoSimilarNamesAreSearchedInAHugeRegistry(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&names, `{"name":"node-%d"},`, i)
	}
	_, err := answering(t, 200, "application/json", `[`+names.String()+`{"name":"x1"}]`).Send(t.Context(), hello("node-x"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Empty(t, unknown.Near)
}

func TestErrorsListSimilarNames(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("worker-one", "worker-two", "worker-ten", "worker-tan", "scheduler"))
	c := connect(t, g, "node-a")
	for to, near := range map[string][]string{
		"worker-oen":  {"worker-one", "worker-ten", "worker-tan"},
		"schedular":   {"scheduler"},
		"sched":       {"scheduler"},
		"elsewhere":   nil,
		"scheduler-2": {"scheduler"},
	} {
		_, err := c.Send(t.Context(), hello(to))
		var unknown *client.NotInRegistryError
		require.ErrorAs(t, err, &unknown)
		assert.LessOrEqual(t, len(unknown.Near), 3)
		if to == "worker-oen" {
			assert.Len(t, unknown.Near, 3)
			continue
		}
		assert.Equal(t, near, unknown.Near, to)
		if near != nil {
			assert.Contains(t, err.Error(), "did you mean "+strings.Join(near, ", "))
		}
	}
}

func TestSimilarNamesHaveTheSyntaxOfNames(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b1", "node-b\nlevel=ERROR", "node-b"+long("x", 100), "sk-ant-x_y", "NODE-BB"))
	_, err := connect(t, g, "node-a").Send(t.Context(), hello("node-b"))
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, []string{"NODE-BB", "node-b1"}, unknown.Near)
}

// Case folding would treat ſ as s.
func TestNonASCIILettersAreNotFolded(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("\u017ftatus-bot", "\u212aeeper"))
	for _, to := range []string{"status-bot", "keeper"} {
		_, err := connect(t, g, "node-a").Send(t.Context(), hello(to))
		var unknown *client.NotInRegistryError
		require.ErrorAs(t, err, &unknown)
	}
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))
}
