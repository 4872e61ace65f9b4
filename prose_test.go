// Checks the English in comments, by package.

package mesh_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Limits per 1,000 comment words, and for a comment line. The standard library has 16 and
// 1.4.
const (
	mostOf      = 20
	mostOfA     = 3
	mostColumns = 90
	fewWords    = 400 // shorter packages may have as many "of" as this one
)

// prose counts the comments in one package's files, or in its tests.
type prose struct {
	words, of, ofA int
	long           []string // places of long lines
}

var (
	wordPattern   = regexp.MustCompile(`[A-Za-z][A-Za-z']*`)
	ofPattern     = regexp.MustCompile(`(?i)\bof\b`)
	outputPattern = regexp.MustCompile(`(?i)^(unordered )?output:`) // in an example
	ofAPattern    = regexp.MustCompile(`(?i)\bof\s+an?\b`)
)

func TestProse(t *testing.T) {
	t.Parallel()
	for folder, p := range proseOfPackages(t) {
		assert.Empty(t, p.wrong(), "%s: rewrite its comments as CONTRIBUTING.md says", folder)
	}
}

func (p *prose) wrong() (all []string) {
	words := max(p.words, fewWords)
	if p.of*1000 > mostOf*words {
		all = append(all, fmt.Sprintf(`%d "of" in %d words`, p.of, p.words))
	}
	if p.ofA*1000 > mostOfA*words {
		all = append(all, fmt.Sprintf(`%d "of a" in %d words`, p.ofA, p.words))
	}
	if len(p.long) > 0 {
		all = append(all, fmt.Sprintf("%d comment lines beyond column %d, first %s", len(p.long), mostColumns, p.long[0]))
	}
	return all
}

func proseOfPackages(t *testing.T) map[string]*prose {
	t.Helper()
	all := map[string]*prose{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"gen", "testdata", ".git", "node_modules"}, entry.Name()) {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".gen.go") {
			name = filepath.ToSlash(name)
			folder := path.Dir(name)
			if strings.HasSuffix(name, "_test.go") {
				folder += " tests"
			}
			if all[folder] == nil {
				all[folder] = &prose{}
			}
			all[folder].add(t, name)
		}
		return nil
	})
	require.NoError(t, err)
	return all
}

func (p *prose) add(t *testing.T, name string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
	require.NoError(t, err)
	source, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.Split(string(source), "\n")
	for _, group := range file.Comments {
		text := group.Text() // without directives such as //go:build
		p.words += len(wordPattern.FindAllString(text, -1))
		p.of += len(ofPattern.FindAllString(text, -1))
		p.ofA += len(ofAPattern.FindAllString(text, -1))
		for _, comment := range group.List {
			line := files.Position(comment.Pos()).Line
			if isLong(lines[line-1]) && !outputPattern.MatchString(text) {
				p.long = append(p.long, fmt.Sprintf("%s:%d", name, line))
			}
		}
	}
}

// isLong reports whether a comment line should be wrapped. Code in a comment, which
// starts with a tab, cannot be, nor can a directive.
func isLong(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, "\t"), "// ") && utf8.RuneCountInString(line) > mostColumns
}
