package argument_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

func TestTextHasThePackageTheFieldTheValueAndTheReason(t *testing.T) {
	t.Parallel()
	require.EqualError(t, &argument.ValueError{Field: "Limit", Value: "-1", Reason: "must not be negative"}, `mesh: Limit "-1" must not be negative`)
	require.EqualError(t, &argument.ValueError{Field: "token", Reason: "must not be empty"}, "mesh: token must not be empty")
	require.EqualError(t, argument.New("prices", "At", "", "must not be zero"), "prices: At must not be zero")
}

func TestPackagesHaveOneValueError(t *testing.T) {
	t.Parallel()
	_, ofClient := client.New("")
	_, ofDiscovery := models.ParseProvider("nobody")
	for _, err := range []error{ofClient, ofDiscovery} {
		var first *client.ValueError
		var second *discovery.ValueError
		require.ErrorAs(t, err, &first)
		require.ErrorAs(t, err, &second)
		assert.Same(t, first, second)
		require.ErrorIs(t, err, client.ErrMesh)
	}
}
