package retired

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

// BenchmarkScan looks for models in 1 MB of JSON in which every word is repeated.
func BenchmarkScan(b *testing.B) {
	var words strings.Builder
	for n := range 50_000 {
		fmt.Fprintf(&words, "\"word-%d-of-claude\",\n", n%500)
	}
	file := filepath.Join(b.TempDir(), "words.json")
	require.NoError(b, os.WriteFile(file, []byte(words.String()), 0o600))
	b.ReportAllocs()
	for b.Loop() {
		a := &app.App{Out: io.Discard, Errs: io.Discard, Format: "text"}
		require.NoError(b, run(b.Context(), &Options{App: a, args: []string{file}, within: "60d", scan: true}))
	}
}
