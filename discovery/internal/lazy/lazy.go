// Package lazy compiles regular expressions when they are first used. All of them together take a millisecond, which a program that does
// not use them does not spend.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the expression of pattern.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
