// Package codebase selects and reads the files of a code base, for mesh scan and mesh retired --scan. What they find can be
// ignored by a comment on its line, or be known from a baseline.
package codebase

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options select files.
type Options struct {
	// Exclude has patterns as in a .gitignore, without "!". They hold for files that are given by name, too.
	Exclude []string
	// LeftOut has patterns of files in folders that are counted only.
	LeftOut []string
	// All selects the files that .gitignore or LeftOut exclude, and the folders of code of others.
	All bool
	// Not has the names of files that are not selected in folders, such as a baseline, which has what was found.
	Not []string
}

// Selection selects files.
type Selection struct {
	exclude, leftOut patterns
	all              bool
	not              []fs.FileInfo
	counts           map[string]int
	selected         []File
}

// File is a file that was selected.
type File struct {
	Path string
	// Named means that it was given by name, and not found in a folder.
	Named bool
	// Err is why the file or folder cannot be read.
	Err error
}

// New returns a Selection, or an error that names an invalid pattern.
func New(o Options) (*Selection, error) {
	s := &Selection{all: o.All, counts: map[string]int{}}
	for _, text := range o.Exclude {
		p, err := parsePattern(text)
		if err != nil || p == nil || p.negated {
			return nil, fmt.Errorf("%q must be a pattern as in a .gitignore, without # and !, such as tests/**", text)
		}
		s.exclude = append(s.exclude, p)
	}
	if !o.All {
		s.leftOut = parsePatterns(strings.Join(o.LeftOut, "\n"))
	}
	for _, name := range o.Not {
		if info, err := os.Stat(name); err == nil { // a file that does not exist is not found
			s.not = append(s.not, info)
		}
	}
	return s, nil
}

// Files returns the regular files of paths: a file itself, and the files of a folder with all its subfolders. Symbolic links are followed
// in paths only.
func (s *Selection) Files(paths []string) []File {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			s.walk(path)
		case err == nil && s.excludes(split(path), nil, false):
		default:
			s.selected = append(s.selected, File{path, true, err})
		}
	}
	return s.selected
}

// excludes reports whether Exclude has a path, as it is printed or as it is below the folder that was given.
func (s *Selection) excludes(printed, below []string, isFolder bool) bool {
	return s.exclude.last(printed, isFolder) != nil || s.exclude.last(below, isFolder) != nil
}

// split returns the parts of a path, without those that lead upwards.
func split(path string) []string {
	parts := strings.FieldsFunc(filepath.ToSlash(filepath.Clean(path)), func(r rune) bool { return r == '/' })
	return slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == ".." })
}

// Count is how many files a pattern has left out.
type Count struct {
	Pattern string
	Files   int
}

// LeftOut returns the patterns of Options.LeftOut that have left out files, the most first.
func (s *Selection) LeftOut() []Count {
	list := make([]Count, 0, len(s.counts))
	for text, files := range s.counts {
		list = append(list, Count{text, files})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Pattern, b.Pattern)) })
	return list
}

// walk is the walk through one folder that was given.
type walk struct {
	*Selection
	root    string
	printed []string // the parts of root
	top     int      // how many of the folders of a path are above root
}

// ignoreFile is a .gitignore that is depth folders below the top of the repository.
type ignoreFile struct {
	depth    int
	patterns patterns
}

func (s *Selection) walk(root string) {
	w := walk{Selection: s, root: root, printed: split(root)}
	above, rules := w.repository()
	w.top = len(above)
	w.folder(".", above, rules)
}

// repository returns the folders from the top of the repository to the root of the walk, and the rules above the root. Without a repository
// the root is the top.
func (w *walk) repository() (above []string, rules []ignoreFile) {
	root, err := filepath.Abs(w.root)
	if err != nil {
		return nil, nil
	}
	top := root
	for !exists(filepath.Join(top, ".git")) {
		if filepath.Dir(top) == top {
			return nil, nil
		}
		top = filepath.Dir(top)
	}
	below, err := filepath.Rel(top, root)
	if err != nil || below == "." {
		return nil, nil
	}
	above = split(below)
	for depth := range above {
		rules = w.withIgnoreFile(rules, filepath.Join(top, filepath.Join(above[:depth]...)), depth)
	}
	return above, rules
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// withIgnoreFile returns rules with the .gitignore of a folder, if it has one that can be read.
func (w *walk) withIgnoreFile(rules []ignoreFile, folder string, depth int) []ignoreFile {
	text, err := os.ReadFile(filepath.Join(folder, ".gitignore")) //nolint:gosec // the user names the folder
	if err != nil || w.all {
		return rules
	}
	return append(slices.Clip(rules), ignoreFile{depth, parsePatterns(string(text))})
}

// folder selects the files of a folder. path is its path below the root, and parts has the folders from the top of the repository.
func (w *walk) folder(path string, parts []string, rules []ignoreFile) {
	entries, err := os.ReadDir(filepath.Join(w.root, path))
	if err != nil {
		w.selected = append(w.selected, File{Path: filepath.Join(w.root, path), Err: err})
		if len(entries) == 0 {
			return
		}
	}
	rules = w.withIgnoreFile(rules, filepath.Join(w.root, path), len(parts))
	for _, entry := range entries {
		below := append(slices.Clip(parts), entry.Name())
		switch isFolder := entry.IsDir(); {
		case !isFolder && !entry.Type().IsRegular(), w.skips(entry.Name(), isFolder), ignored(rules, below, isFolder),
			w.excludes(append(slices.Clip(w.printed), below[w.top:]...), below[w.top:], isFolder):
		case isFolder:
			w.folder(filepath.Join(path, entry.Name()), below, rules)
		default:
			w.file(filepath.Join(path, entry.Name()), entry, below[w.top:])
		}
	}
}

func (w *walk) file(path string, entry fs.DirEntry, below []string) {
	if p := w.leftOut.last(below, false); p != nil {
		w.counts[p.text]++
		return
	}
	for _, not := range w.not {
		if info, err := entry.Info(); err == nil && os.SameFile(not, info) {
			return
		}
	}
	w.selected = append(w.selected, File{Path: filepath.Join(w.root, path)})
}

// The folders with the history of the code, and with the code of others.
var (
	history = []string{".git", ".hg", ".svn"}
	others  = []string{".venv", "node_modules", "vendor"}
)

// skips reports whether a folder has no code of its own. A file may be .git, too, in a work tree of git.
func (w *walk) skips(name string, isFolder bool) bool {
	return slices.Contains(history, name) || isFolder && !w.all && slices.Contains(others, name)
}

// ignored reports whether the last rule that matches a path ignores it.
func ignored(rules []ignoreFile, path []string, isFolder bool) bool {
	for _, file := range slices.Backward(rules) {
		if p := file.patterns.last(path[file.depth:], isFolder); p != nil {
			return !p.negated
		}
	}
	return false
}
