package codebase

import (
	"path"
	"slices"
	"strings"
)

// pattern is a line of a .gitignore, as gitignore(5) describes it, apart from rare forms: a class with a name, such as [[:digit:]], or with "]"
// or "-" at its beginning or end, and a name that ends in a blank.
//
// The code is our own because the implementation in Go that is well kept is part of go-git, an implementation of all of git: its modules
// would be in the go.mod of everybody who imports the SDK. A test compares the code with git.
type pattern struct {
	text    string
	negated bool
	folders bool // it matches folders only
	// segments are what is between the slashes, the last one first, each anyFolders or a pattern of path.Match.
	segments []string
}

// anyFolders is a segment that matches any number of folders.
const anyFolders = "**"

// parsePattern parses a line without its end. It returns nil for a line that has no pattern, or one that no path can match.
func parsePattern(line string) *pattern {
	line = strings.TrimRight(line, " ")
	if line == "" || line[0] == '#' {
		return nil
	}
	p := &pattern{text: line}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	if !strings.Contains(line, "/") {
		line = anyFolders + "/" + line // a name matches in all folders
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
	if p.segments[len(p.segments)-1] == anyFolders { // what ends in /** matches what is in a folder, and not the folder
		p.segments = append(p.segments, "*")
	}
	slices.Reverse(p.segments)
	return p
}

// matches reports whether the pattern matches a path below its folder. It compares from the end, where paths differ most. After a mismatch
// it goes back to the last anyFolders only: a longer match of an earlier one could not help.
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

// patterns are those of one file, in its order.
type patterns []*pattern

// parsePatterns parses a .gitignore. A line that no path can match is left out, as git does it.
func parsePatterns(text string) (all patterns) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if p := parsePattern(line); p != nil {
			all = append(all, p)
		}
	}
	return all
}

// last returns the last pattern that matches a path, which decides, or nil.
func (all patterns) last(path []string, isFolder bool) *pattern {
	for _, p := range slices.Backward(all) {
		if p.matches(path, isFolder) {
			return p
		}
	}
	return nil
}
