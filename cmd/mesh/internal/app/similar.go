package app

import "github.com/mesh-gateway/mesh-go/internal/editdistance"

// maxEdits is the number of letters in which a suggestion may differ.
const maxEdits = 2

// Similar returns the name that differs least from an unknown one, and by at most maxEdits letters and a third of it; "" if there is none.
func Similar(unknown string, names []string) (best string) {
	least := min(maxEdits, len(unknown)/3) + 1
	for _, name := range names {
		if n := editdistance.Of(unknown, name); n < least {
			best, least = name, n
		}
	}
	return best
}
