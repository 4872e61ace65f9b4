package output_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func TestTextsDoNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a�[31m�31m�� � b", output.Line(hostile+"\nb"))
	assert.Equal(t, "a�[31m�31m�� �\nb", output.Lines(hostile+"\nb"))
}

// hostile has what a terminal may act on: an escape sequence, the same in one character, a mark of the writing direction, a
// line separator, a carriage return and a byte that is not UTF-8.
const hostile = "a\x1b[31m\u009b31m\u202e\u2028\r\xff"

func TestTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	assert.Equal(t, runtime.GOOS == "windows", output.Terminal(null), "a step of CI has it as its stdin")
}
