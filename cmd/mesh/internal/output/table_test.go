package output_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

func TestTableAlignsColumns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, output.Table(&out, []table.Column{table.Key("A"), table.Plain("B", 0)}, [][]string{{"long", "x\ty"}, {"é", "\x1b"}}))
	assert.Equal(t, "A     B\nlong  x y\né     �\n", out.String())
}
