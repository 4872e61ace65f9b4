package codebase

import (
	"regexp"
	"strings"
)

// mark is a comment that accepts what is found on its line. What begins a comment depends on the language, so the mark may be anywhere in
// the line, but not in a longer word such as mesh:ignore-file.
var mark = regexp.MustCompile(`(?:^|[^\w:-])mesh:ignore(?:$|[^\w:-])`)

// IsIgnored reports whether the line of a text that has the byte at an index has the mark.
func IsIgnored(text string, at int) bool {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	return mark.MatchString(line)
}
