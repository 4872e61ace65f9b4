package calls_test

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// packedLines writes a compressed file whose lines, made by line, have about size bytes
// in total.
func packedLines(t *testing.T, size int, line func(i int) string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl.gz")
	file, err := os.Create(path)
	require.NoError(t, err)
	w := gzip.NewWriter(file)
	for i := 0; size > 0; i++ {
		text := line(i)
		size -= len(text)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	return path
}

// mostMemory returns the peak heap size in bytes during read.
func mostMemory(read func(onRead func(int))) uint64 {
	var most uint64
	read(func(int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	})
	return most
}

// 60 kB of gzip unpack to 60 MB. Not parallel: it measures memory.
func TestCompressedFilesNeedLittleMemory(t *testing.T) {
	pad := strings.Repeat("x", 200_000)
	long := strings.Repeat("x", 900_000)
	for name, line := range map[string]func(i int) string{
		"calls that wait": func(i int) string {
			return strings.Replace(idLine(fmt.Sprint("call-", i)), "{", `{"complete":false,"more":"`+pad+`",`, 1)
		},
		"labels": func(i int) string {
			return strings.Replace(idLine(fmt.Sprint("call-", i)), "{", fmt.Sprintf(`{"labels":{"a":"%s%d"},`, long, i), 1)
		},
		"no line break": func(int) string { return long },
	} {
		path := packedLines(t, whole.Cases(60, 6)<<20, line)
		most := mostMemory(func(onRead func(int)) {
			_, _ = calls.Sum(calls.Options{OnRead: onRead, By: [][]string{{calls.ByLabel("a")}}, OnCopies: func(calls.Copies) {}}, path)
		})
		assert.Less(t, most, uint64(40<<20), name)
	}
}
