package meter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	_, err := meter.New(nil, nil, meter.WithStreamUsage(), nil)
	require.NoError(t, err)
}
