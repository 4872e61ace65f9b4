package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// A document of 32 MiB could otherwise hold 16 million elements, which take more than a gigabyte.
func TestElementsOfADocumentAreBounded(t *testing.T) {
	t.Parallel()
	const most = 500_000
	list := func(n int) []byte { return []byte("[" + strings.Repeat("0,", n-1) + "0]") }
	entries := func(n int) []byte { return []byte(`{"b":[` + strings.Repeat(`{"a":0},`, n-1) + `{"a":0}]}`) }
	var v any
	require.NoError(t, wire.Unmarshal(list(most), &v, wire.Any))
	require.ErrorContains(t, wire.Unmarshal(list(most+1), &v, wire.Any), "more than 500000 array elements and map entries")
	require.NoError(t, wire.Unmarshal(entries(most/2-1), &v, wire.Any))
	require.ErrorContains(t, wire.Unmarshal(entries(most/2), &v, wire.Any), "more than 500000")
	require.NoError(t, wire.Unmarshal(list(most), &v, wire.Any), "the count begins again")
}
