package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// No other test fails when the document adds or removes a kind: a Kind is a string, and the constants stay.
func TestKindsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	checker, err := contract.New("gateway")
	require.NoError(t, err)
	var exported []any
	for _, kind := range []client.Kind{client.KindFYI, client.KindQuestion, client.KindAnswer, client.KindStatus, client.KindUnblock} {
		exported = append(exported, string(kind))
	}
	documented := checker.Document().Components.Schemas["Kind"].Value.Enum
	assert.ElementsMatch(t, documented, exported)

	_, err = connect(t, gateway(t), "node-a").Send(t.Context(), client.SendRequest{To: "node-b", Kind: "gossip", Content: "x"})
	for _, kind := range documented {
		assert.ErrorContains(t, err, kind.(string), "the error lists every kind")
	}
}
