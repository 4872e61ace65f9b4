// Package codebase searches the files of a code base, for mesh scan and mesh retired --scan. What they find can be ignored by a comment on
// its line, or be known from a baseline.
package codebase

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// selection selects files.
type selection struct {
	exclude, leftOut patterns
	all              bool
	counts           map[string]int
	selected         []file
}

// file is a file that was selected.
type file struct {
	path string
	// named means that it was given by name, and not found in a folder.
	named bool
	// size is that of a regular file, in bytes.
	size int64
	// isText is set when the file has been read, and err if the file or folder cannot be.
	isText bool
	err    error
}

// selection returns a selection by the flags, or an error that names an invalid pattern. Files of leftOut in folders are counted only.
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

// files returns the regular files of paths: a file itself, and the files of a folder with all its subfolders. Symbolic links are followed
// in paths only.
func (s *selection) files(paths []string) []file {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			s.selected = append(s.selected, file{path: path, err: err})
		case info.IsDir():
			s.walk(path)
		case s.exclude.last(split(path), false) == nil:
			s.selected = append(s.selected, file{path: path, named: true, size: info.Size()})
		}
	}
	return s.selected
}

// split returns the parts of a path, without those that lead upwards.
func split(path string) []string {
	parts := strings.FieldsFunc(filepath.ToSlash(filepath.Clean(path)), func(r rune) bool { return r == '/' })
	return slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == ".." })
}

// walk is the walk through one folder that was given. depth is the number of parts of its absolute path. The patterns of --exclude are rules
// for the path as it is printed and as it is below the folder.
type walk struct {
	*selection
	depth   int
	exclude []rule
}

// rule has patterns for what is below a folder whose absolute path has depth parts.
type rule struct {
	depth    int
	patterns patterns
}

// walk selects the files of a folder. The rules of the folders above it hold, too, up to the top of the repository.
func (s *selection) walk(root string) {
	root = filepath.Clean(root)
	path := split(absolute(root))
	var above []string
	for folder := absolute(root); !exists(filepath.Join(folder, ".git")); folder = filepath.Dir(folder) {
		if filepath.Dir(folder) == folder { // without a repository the folder is the top
			above = nil
			break
		}
		above = append(above, filepath.Dir(folder))
	}
	var rules []rule
	for i, folder := range slices.Backward(above) {
		rules = s.withIgnoreFile(rules, folder, len(path)-1-i)
	}
	w := walk{s, len(path), []rule{{len(path), s.exclude}, {len(path) - len(split(root)), s.exclude}}}
	w.folder(root, path, rules)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// withIgnoreFile returns rules with the .gitignore of a folder, if it has one that can be read.
func (s *selection) withIgnoreFile(rules []rule, folder string, depth int) []rule {
	text, err := os.ReadFile(filepath.Join(folder, ".gitignore")) //nolint:gosec // the user names the folder
	if err != nil || s.all {
		return rules
	}
	return append(slices.Clip(rules), rule{depth, parsePatterns(string(text))})
}

// folder selects the files of a folder, of whose absolute path parts are the parts.
func (w *walk) folder(folder string, parts []string, rules []rule) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		w.selected = append(w.selected, file{path: folder, err: err})
	}
	rules = w.withIgnoreFile(rules, folder, len(parts))
	for _, entry := range entries {
		path, below := filepath.Join(folder, entry.Name()), append(slices.Clip(parts), entry.Name())
		switch isFolder := entry.IsDir(); {
		case !isFolder && !entry.Type().IsRegular(), w.skips(entry.Name(), isFolder), ignored(rules, below, isFolder), ignored(w.exclude, below, isFolder):
		case isFolder:
			w.folder(path, below, rules)
		default:
			w.file(path, entry, below[w.depth:])
		}
	}
}

func (w *walk) file(path string, entry fs.DirEntry, below []string) {
	if p := w.leftOut.last(below, false); p != nil {
		w.counts[p.text]++
	} else if info, err := entry.Info(); err == nil { // else it was removed meanwhile
		w.selected = append(w.selected, file{path: path, size: info.Size()})
	}
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
func ignored(rules []rule, path []string, isFolder bool) bool {
	for _, r := range slices.Backward(rules) {
		if p := r.patterns.last(path[r.depth:], isFolder); p != nil {
			return !p.negated
		}
	}
	return false
}

// beginning is how much of a file is searched for a zero byte, in bytes, as git does it.
const beginning = 8000

// read returns the content of a text. A binary file has a zero byte among its first 8,000 bytes; it is read no further, unless it was named
// and binary is true. A file is held in memory once, and not also what io.ReadAll grows through.
func (f *file) read(binary bool) (content string) {
	if f.err != nil {
		return ""
	}
	var in *os.File
	if in, f.err = os.Open(f.path); f.err != nil {
		return ""
	}
	defer in.Close()
	var text strings.Builder
	_, err := io.CopyN(&text, in, beginning)
	f.isText = strings.IndexByte(text.String(), 0) < 0 || binary && f.named
	if err == nil && f.isText {
		text.Grow(int(f.size))
		_, err = io.Copy(&text, in)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.isText, f.err = false, err
	}
	return text.String()
}
