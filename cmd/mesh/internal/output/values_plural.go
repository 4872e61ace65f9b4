package output

import "github.com/mesh-gateway/mesh-go/internal/costtable"

// Plural returns a number with its noun.
func Plural(n int, noun string) string {
	return costtable.Number(n, noun, noun+"s")
}
