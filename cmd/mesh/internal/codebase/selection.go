// Package codebase searches the files of a code base, for mesh scan and mesh retired --scan. What they find can be ignored by a comment on
// its line, or be known from a baseline.
package codebase

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// selection selects files.
type selection struct {
	exclude, leftOut patterns
	all              bool
	// reason -> number of files and folders that were left out for it
	counts   map[string]int
	byName   bool // a pattern of leftOut was a reason
	optional bool // --all-files has some of them
	folders  bool // some of them are folders
	selected []file
	roots    []*os.Root
	asking   time.Duration // git for its index
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

// files returns the files of paths: a file itself, and the files of a folder with all its subfolders. Symbolic links are followed in
// paths only. close must be called when the files have been read.
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

// leave counts a file or folder that is left out.
func (s *selection) leave(reason string, isFolder bool) {
	s.counts[reason]++
	s.folders = s.folders || isFolder
}

// split returns the parts of a path, without those that lead upwards.
func split(path string) []string {
	parts := strings.FieldsFunc(filepath.ToSlash(filepath.Clean(path)), func(r rune) bool { return r == '/' })
	return slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == ".." })
}
