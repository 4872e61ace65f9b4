package codebase

import (
	"regexp"
	"strings"
)

// mark is a comment that accepts what is found on its line. What begins a comment depends on the language, so the mark may be anywhere in
// the line, but not in a longer word such as mesh:ignore-file.
var mark = regexp.MustCompile(`(?:^|[^\w:-])mesh:ignore(?:$|[^\w:-])`)

// isIgnored reports whether the first line of a text has the mark.
func isIgnored(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return mark.MatchString(line)
}
