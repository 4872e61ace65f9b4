// Shipped code opens untrusted files only through internal/openfile. mayOpen has the
// exceptions.

package mesh_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openers are os functions that open any kind of file, and wait for a pipe's writer.
var openers = []string{"DirFS", "Open", "OpenFile", "ReadFile"}

// Files and directories that may use openers, with the reason. All others use
// internal/openfile.
var mayOpen = map[string]string{
	"cmd/mesh/cost/bill.go":                      "the user typed --bill, which may be a pipe; it is read as a stream",
	"cmd/mesh/internal/callsfiles/callsfiles.go": "looks at sizes",
	"cmd/mesh/internal/callsfiles/copies.go":     "waits for the writer of a pipe that the user typed",
	"cmd/mesh/internal/codebase/file.go":         "the user typed the file, which may be a pipe; it is bounded",
	"cmd/mesh/internal/profile/token.go":         "waits for the writer of a pipe that the user typed; it is bounded",
	"cmd/mesh/internal/sessions/opencode.go":     "creates a file that did not exist",
	"cmd/mesh/internal/sessions/paths.go":        "lists names",
	"cmd/mesh/internal/sockets/sockets.go":       "files of the kernel in /proc",
	"discovery/calls/files.go":                   "the caller named the file, or it was seen to be regular; it is read line by line",
	"discovery/calls/log.go":                     "creates a file that did not exist",
	"internal/generate/":                         "a tool of the project that reads its own documents",
	"internal/openfile/":                         "the one way to open the files of others",
	"internal/test/":                             "for tests",
	"cmd/mesh/internal/test/":                    "for tests",
	"examples/":                                  "programs that read what their user named",
	".ci/":                                       "tools of the project",
}

// Checks both modules' shipped code.
func TestFilesOfOthersAreOpenedInOneWay(t *testing.T) {
	t.Parallel()
	unused := map[string]bool{}
	for name := range mayOpen {
		unused[name] = true
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			assert.NotEqual(t, `"io/ioutil"`, spec.Path.Value, path)
			assert.False(t, spec.Path.Value == `"os"` && spec.Name != nil, "%s renames the import of os", path)
		}
		for _, name := range usedOfOS(file) {
			if !slices.Contains(openers, name) {
				continue
			}
			entry := listedBy(filepath.ToSlash(path))
			assert.NotEmpty(t, entry, "%s uses os.%s; use internal/openfile, or add the reason to mayOpen", path, name)
			delete(unused, entry)
		}
		return nil
	})
	require.NoError(t, err)
	for name := range unused {
		if !strings.HasSuffix(name, "/") {
			assert.Fail(t, "mayOpen has a file that opens nothing", name)
		}
	}
}

func listedBy(path string) string {
	for name := range mayOpen {
		if path == name || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name) {
			return name
		}
	}
	return ""
}
