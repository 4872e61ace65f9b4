package output

import "github.com/mesh-gateway/mesh-go/internal/table"

// Plural returns a number with its noun.
func Plural(n int, noun string) string {
	return table.Number(n, noun, noun+"s")
}
