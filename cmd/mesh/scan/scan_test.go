package scan

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

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
		err := run(&Options{App: a, paths: paths})
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
		require.NoError(b, run(&Options{App: a, paths: []string{folder}}))
	}
}

// scanned runs mesh scan and returns its output and error.
func scanned(t *testing.T, stdin string, o Options) (out, errs string, err error) {
	t.Helper()
	var outs, warnings bytes.Buffer
	o.App = &app.App{
		In: strings.NewReader(stdin), Out: &outs, Errs: &warnings, Format: "text",
		Token: func() (string, error) { return "", nil },
	}
	err = run(&o)
	return outs.String(), warnings.String(), err
}

// Windows PowerShell writes UTF-16. A file that doesn't decode could have a key, so it's
// named.
func TestUTF16(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		wide := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune("one\r\n\U0001F600é sk-ant-" + strings.Repeat("a", 40))) {
			wide = order.AppendUint16(wide, unit)
		}
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, wide, 0o600))
		out, _, err := scanned(t, "", Options{paths: []string{path}})
		require.ErrorIs(t, err, exit.ErrFound)
		assert.Contains(t, out, path+":2:4: anthropic-api-key")
		out, _, err = scanned(t, string(wide), Options{})
		require.ErrorIs(t, err, exit.ErrFound)
		assert.Contains(t, out, "-:2:4: anthropic-api-key")

		broken := filepath.Join(folder, name+"-broken")
		require.NoError(t, os.WriteFile(broken, append(wide, 'x'), 0o600))
		_, _, err = scanned(t, "", Options{paths: []string{broken}})
		require.EqualError(t, err, broken+": starts like UTF-16, but is not")
		assert.Equal(t, exit.Usage, exit.Code(err))
		_, _, err = scanned(t, string(wide)+"x", Options{})
		require.EqualError(t, err, "stdin: starts like UTF-16, but is not")
		assert.Equal(t, exit.Usage, exit.Code(err))
	}
	_, warnings, err := scanned(t, "", Options{paths: []string{folder}})
	require.ErrorIs(t, err, exit.ErrFound)
	assert.Contains(t, warnings, "big-broken: starts like UTF-16, but is not")
}
