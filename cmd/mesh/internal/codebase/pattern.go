package codebase

import (
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// pattern is a line of a .gitignore, as gitignore(5) describes it. Classes with names, such as [[:digit:]], are not known.
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

var errPattern = errors.New("is not a pattern of .gitignore")

// parsePattern parses a line without its end. It returns nil for a line that has no pattern, and an error for one that no path can match.
func parsePattern(line string) (*pattern, error) {
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return nil, nil
	}
	p := &pattern{text: line}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	if !strings.Contains(line, "/") {
		line = anyFolders + "/" + line // a name matches in all folders
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(line, "/"), "/") {
		if part == "" {
			return nil, errPattern
		}
		if part != anyFolders {
			part = withClasses(part)
			if _, err := path.Match(part, ""); err != nil {
				return nil, errPattern
			}
		}
		p.segments = append(p.segments, part)
	}
	if p.segments[len(p.segments)-1] == anyFolders { // what ends in /** matches what is in a folder, and not the folder
		p.segments = append(p.segments, "*")
	}
	slices.Reverse(p.segments)
	return p, nil
}

// trimBlanks removes the blanks at the end of a line. A backslash protects one.
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " ")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if trimmed != line && slashes%2 == 1 {
		return trimmed + " "
	}
	return trimmed
}

// withClasses returns a segment with its classes in the form of path.Match.
func withClasses(segment string) string {
	var text strings.Builder
	for segment != "" {
		size := 1
		switch segment[0] {
		case '\\':
			size = min(2, len(segment))
		case '[':
			var class string
			class, segment = cutClass(segment[1:])
			text.WriteString(class)
			continue
		}
		text.WriteString(segment[:size])
		segment = segment[size:]
	}
	return text.String()
}

// cutClass returns the class whose "[" is before a text, and the text behind it. For path.Match a "!" becomes "^", and each character has a
// backslash, since "]" may be the first and "-" the first or last one.
func cutClass(text string) (class, rest string) {
	class = "["
	if strings.HasPrefix(text, "!") || strings.HasPrefix(text, "^") {
		class, text = "[^", text[1:]
	}
	for first := true; text != "" && (first || text[0] != ']'); first = false {
		var low, high string
		low, text = cutEscaped(text)
		class += low
		if len(text) > 1 && text[0] == '-' && text[1] != ']' {
			high, text = cutEscaped(text[1:])
			class += "-" + high
		}
	}
	if text == "" {
		return class, "" // without an end, which is an error of path.Match
	}
	return class + "]", text[1:]
}

// cutEscaped returns the first character of a text with a backslash, which it may have already.
func cutEscaped(text string) (escaped, rest string) {
	if len(text) > 1 && text[0] == '\\' {
		text = text[1:]
	}
	_, size := utf8.DecodeRuneInString(text)
	return `\` + text[:size], text[size:]
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
		if p, err := parsePattern(line); err == nil && p != nil {
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
