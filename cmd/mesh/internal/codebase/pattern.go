package codebase

import (
	"errors"
	"slices"
	"strings"
)

// pattern is a line of a .gitignore, as gitignore(5) describes it. Classes with names, such as [[:digit:]], are not known.
//
// The code is our own because the implementation in Go that is well kept is part of go-git, an implementation of all of git: its modules
// would be in the go.mod of everybody who imports the SDK. A test compares the code with git.
type pattern struct {
	text     string
	negated  bool
	folders  bool // it matches folders only
	name     bool // it has no slash and is compared with the last part of a path
	segments []segment
}

// segment is what a pattern has between two slashes.
type segment struct {
	any    bool // "**", which is any number of folders
	tokens []token
}

// token matches one byte of a set, or with star any number of bytes.
type token struct {
	star bool
	set  [4]uint64
}

func (t *token) add(c byte) { t.set[c>>6] |= 1 << (c & 63) }

func (t *token) has(c byte) bool { return t.set[c>>6]>>(c&63)&1 == 1 }

// invert makes t match the other bytes.
func (t *token) invert() {
	for i := range t.set {
		t.set[i] = ^t.set[i]
	}
}

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
	p.name = !strings.Contains(line, "/")
	parts := strings.Split(strings.TrimPrefix(line, "/"), "/")
	for i, part := range parts {
		if part == "" {
			return nil, errPattern
		}
		if part == "**" && !p.name {
			p.segments = append(p.segments, segment{any: true})
			if i < len(parts)-1 {
				continue
			}
			part = "*" // what ends in /** matches what is in a folder, and not the folder
		}
		tokens, err := parseTokens(part)
		if err != nil {
			return nil, err
		}
		p.segments = append(p.segments, segment{tokens: tokens})
	}
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

func parseTokens(text string) ([]token, error) {
	var tokens []token
	for text != "" {
		var t token
		size := 1
		switch text[0] {
		case '*':
			t.star = true
		case '?':
			t.invert()
		case '[':
			if size = t.parseClass(text); size == 0 {
				return nil, errPattern
			}
		case '\\':
			if size = 2; len(text) < size {
				return nil, errPattern
			}
			t.add(text[1])
		default:
			t.add(text[0])
		}
		tokens, text = append(tokens, t), text[size:]
	}
	return tokens, nil
}

// parseClass adds the bytes of a class such as [!a-z] and returns its length, or 0 if it has no end.
func (t *token) parseClass(text string) int {
	i := 1
	inverted := i < len(text) && (text[i] == '!' || text[i] == '^')
	if inverted {
		i++
	}
	for first := true; i < len(text); first = false {
		if text[i] == ']' && !first {
			if inverted {
				t.invert()
			}
			return i + 1
		}
		low, size := classByte(text[i:])
		i += size
		t.add(low) // also as the first of a range that is empty, such as b-a
		high := low
		if i+1 < len(text) && text[i] == '-' && text[i+1] != ']' {
			high, size = classByte(text[i+1:])
			i += 1 + size
		}
		for c := low; c < high; c++ {
			t.add(c)
		}
		if low <= high {
			t.add(high)
		}
	}
	return 0
}

// classByte returns the first byte of the rest of a class, which may have a backslash before it, and the length of both.
func classByte(text string) (c byte, size int) {
	if text[0] == '\\' && len(text) > 1 {
		return text[1], 2
	}
	return text[0], 1
}

// matches reports whether the pattern matches a path below its folder.
func (p *pattern) matches(path []string, isFolder bool) bool {
	switch {
	case p.folders && !isFolder || len(path) == 0:
		return false
	case p.name:
		return p.segments[0].matches(path[len(path)-1])
	default:
		return match(p.segments, path, func(s segment) bool { return s.any }, segment.matches)
	}
}

func (s segment) matches(name string) bool {
	return match(s.tokens, []byte(name), func(t token) bool { return t.star }, func(t token, c byte) bool { return t.has(c) })
}

// match reports whether elements match a list in which a star is any number of elements. After a mismatch it goes back to the last star
// only: a longer match of an earlier star could not help. The time is at most the product of both lengths.
func match[P, E any](list []P, elements []E, isStar func(P) bool, one func(P, E) bool) bool {
	star, begin := -1, 0
	p, e := 0, 0
	for p < len(list) || e < len(elements) {
		switch {
		case p < len(list) && isStar(list[p]):
			star, begin = p, e
			p++
		case p < len(list) && e < len(elements) && one(list[p], elements[e]):
			p++
			e++
		case star >= 0 && begin < len(elements):
			begin++
			p, e = star+1, begin
		default:
			return false
		}
	}
	return true
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
