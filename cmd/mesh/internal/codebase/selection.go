// Package codebase searches source trees, for mesh scan and mesh retired --scan. Comments
// and baselines can accept findings.
package codebase

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

type selection struct {
	exclude, leftOut patterns
	all              bool
	// reason -> number of files and directories
	counts   map[string]int
	byName   bool // a pattern of leftOut was a reason
	optional bool // --all-files has some of them
	folders  bool // some of them are directories
	selected []file
	roots    []*os.Root
	asking   time.Duration // time spent asking git for its index
}

func (f *Flags) selection(leftOut []string) (*selection, error) {
	s := &selection{all: f.allFiles, counts: map[string]int{}}
	for _, text := range f.exclude {
		p := parsePattern(text)
		if p == nil || p.negated {
			return nil, fmt.Errorf("%q must be a pattern as in a .gitignore, without # and !, such as tests/**", text)
		}
		s.exclude = append(s.exclude, p)
	}
	if !f.allFiles {
		s.leftOut = parsePatterns(strings.Join(leftOut, "\n"))
	}
	return s, nil
}

// files returns the files in paths. It follows a link only if the link itself is in
// paths. Call close after reading the files.
func (s *selection) files(paths []string) []file {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			s.selected = append(s.selected, file{path: path, err: err})
		case info.IsDir():
			s.walk(path)
		case s.exclude.last(split(path), false) == nil:
			s.selected = append(s.selected, file{path: path, size: info.Size()})
		default:
			s.leave(excluded, false)
		}
	}
	return s.selected
}

func (s *selection) close() {
	for _, root := range s.roots {
		_ = root.Close()
	}
	s.roots = nil
}

func (s *selection) leave(reason string, isFolder bool) {
	s.counts[reason]++
	s.folders = s.folders || isFolder
}

// split returns path elements, except for those that lead upwards.
func split(path string) []string {
	parts := strings.FieldsFunc(filepath.ToSlash(filepath.Clean(path)), func(r rune) bool { return r == '/' })
	return slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == ".." })
}

// pattern is a .gitignore line, as in gitignore(5), except for rare forms: named classes
// such as [[:digit:]], classes with "]" or "-" at an end, and names that end in a space.
//
// The implementation in go-git would add its modules to go.mod. A test compares ours with
// git.
type pattern struct {
	text    string
	negated bool
	folders bool // it matches directories only
	// segments are the path elements, last one first: anyFolders, or a path.Match
	// pattern.
	segments []string
}

// anyFolders matches any number of directories.
const anyFolders = "**"

// parsePattern returns nil for a line that matches nothing.
func parsePattern(line string) *pattern {
	line = strings.TrimRight(line, " ")
	if line == "" || line[0] == '#' {
		return nil
	}
	p := &pattern{text: line}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	if !strings.Contains(line, "/") {
		line = anyFolders + "/" + line // a name matches in all directories
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(line, "/"), "/") {
		if part == "" {
			return nil
		}
		if part != anyFolders {
			part = strings.ReplaceAll(part, "[!", "[^")
			if _, err := path.Match(part, ""); err != nil {
				return nil
			}
		}
		p.segments = append(p.segments, part)
	}
	if p.segments[len(p.segments)-1] == anyFolders { // /** matches what is in a directory, not the directory
		p.segments = append(p.segments, "*")
	}
	slices.Reverse(p.segments)
	return p
}

// matches compares from the end, where paths differ most. After a mismatch it goes back
// to the last anyFolders only: a longer match of an earlier one couldn't help.
func (p *pattern) matches(names []string, isFolder bool) bool {
	if p.folders && !isFolder {
		return false
	}
	star, begin := -1, 0
	for s, n := 0, 0; s < len(p.segments) || n < len(names); {
		switch {
		case s < len(p.segments) && p.segments[s] == anyFolders:
			star, begin = s, n
			s++
		case s < len(p.segments) && n < len(names) && matchesName(p.segments[s], names[len(names)-1-n]):
			s++
			n++
		case star >= 0 && begin < len(names):
			begin++
			s, n = star+1, begin
		default:
			return false
		}
	}
	return true
}

func matchesName(segment, name string) bool {
	matched, _ := path.Match(segment, name) // parsePattern has checked the segment
	return matched
}

// patterns are in file order
type patterns []*pattern

// parsePatterns skips lines that match no path, as git does.
func parsePatterns(text string) (all patterns) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if p := parsePattern(line); p != nil {
			all = append(all, p)
		}
	}
	return all
}

// last returns the deciding pattern, or nil.
func (all patterns) last(path []string, isFolder bool) *pattern {
	for _, p := range slices.Backward(all) {
		if p.matches(path, isFolder) {
			return p
		}
	}
	return nil
}

// Flags are shared by the commands that search source trees.
type Flags struct {
	exclude                 []string
	allFiles                bool
	baseline, writeBaseline string
}

// Help explains the flags.
const Help = `Directories: Files that a .gitignore names and git doesn't track, binary files, symbolic links, and the directories .hg, .svn, .venv,
node_modules and vendor are left out, and the last line counts them. So is .git, which isn't counted. A file that you name is always
read. UTF-16 needs a byte order mark, and a file over 512 MiB is an error. As many files are in memory at a time as
there are processors. GLOB is a pattern as in a .gitignore: '*.md', docs/ or 'tests/**'.

Known findings: A comment mesh:ignore accepts the findings on its line. --write-baseline FILE writes all of today's findings to FILE and
exits with 0. With --baseline FILE, only findings added later are reported. Its paths are relative to its directory: don't move it alone.`

// Add adds the flags to cmd.
func (f *Flags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.exclude, "exclude", nil, "leave out files and directories that match `GLOB`; repeatable")
	flags.BoolVar(&f.allFiles, "all-files", false, "include files that a .gitignore or their name excludes")
	flags.StringVar(&f.baseline, "baseline", "", "leave out findings listed in `FILE`")
	flags.StringVar(&f.writeBaseline, "write-baseline", "", "write all findings to `FILE`, and exit with 0")
}

// Names are the flags' names.
var Names = []string{"exclude", "all-files", "baseline", "write-baseline"}
