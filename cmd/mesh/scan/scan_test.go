package scan

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// TestRun scans a folder and stdin without a process.
func TestRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("one\nkey: sk-ant-"+strings.Repeat("a", 40)+"\n"), 0o600))
	for _, paths := range [][]string{{folder}, {"-"}, nil} {
		var out, errs bytes.Buffer
		a := &app.App{
			In: strings.NewReader("clean\nsk-ant-" + strings.Repeat("b", 40)), Out: &out, Errs: &errs, Format: "json",
			Token: func() (string, error) { return "", nil },
		}
		err := run(t.Context(), &Options{App: a, paths: paths})
		require.ErrorIs(t, err, exit.ErrFound)
		assert.Equal(t, exit.Found, exit.Code(err))
		var found []finding
		require.NoError(t, json.Unmarshal(out.Bytes(), &found), out.String())
		require.Len(t, found, 1)
		assert.Equal(t, 2, found[0].Line)
		assert.NotContains(t, out.String()+errs.String(), "sk-ant-")
	}
}
