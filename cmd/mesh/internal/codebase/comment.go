package codebase

import "strings"

// Mark is the text of a comment that accepts what is found on its line.
const Mark = "mesh:ignore"

// IsIgnored reports whether a line has the mark as a word of its own. What begins a comment depends on the language, so the mark may be
// anywhere in the line.
func IsIgnored(line string) bool {
	for from := 0; ; {
		at := strings.Index(line[from:], Mark)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(Mark)
		if (at == 0 || !inWord(line[at-1])) && (from == len(line) || !inWord(line[from])) {
			return true
		}
	}
}

// inWord reports whether a longer word could go on with c, such as mesh:ignore-file.
func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-:", c) >= 0
}
