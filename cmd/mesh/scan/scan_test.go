package scan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// BenchmarkRun scans 10 MB of source code in 100 files.
func BenchmarkRun(b *testing.B) {
	folder := b.TempDir()
	text := strings.Repeat("\tif err := task.Request(ctx, \"https://example.com/v1/models\", gin.Defaults); err != nil {\n\t\treturn err\n\t}\n", 1000)
	for n := range 100 {
		require.NoError(b, os.WriteFile(filepath.Join(folder, fmt.Sprint(n, ".go")), []byte(text), 0o600))
	}
	b.ReportAllocs()
	for b.Loop() {
		a := &app.App{Out: io.Discard, Errs: io.Discard, Format: "text", Token: func() (string, error) { return "", nil }}
		require.NoError(b, run(b.Context(), &Options{App: a, paths: []string{folder}}))
	}
}
