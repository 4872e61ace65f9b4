package gatewaytest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocumentedTestsExist checks that docs/gateway.md names a test for each statement in
// its table, and only tests that exist.
func TestDocumentedTestsExist(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/gateway.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(document), "\n| statement | test |\n|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var source strings.Builder
	for _, pattern := range []string{"*_test.go", "../*_test.go", "../agent/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			code, err := os.ReadFile(name)
			require.NoError(t, err)
			source.Write(code)
		}
	}
	for row := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
		names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(row, -1)
		assert.NotEmpty(t, names, row)
		for _, name := range names {
			assert.Contains(t, source.String(), "\nfunc "+name[1]+"(t *testing.T) {", row)
		}
	}
}
