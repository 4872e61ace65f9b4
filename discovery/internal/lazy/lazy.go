// Package lazy compiles regular expressions on first use. Compiling all of them takes a
// millisecond, which most programs don't need to spend.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles pattern once.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
