// Package editdistance compares names for suggestions, as in "did you mean …?".
package editdistance

// Of returns the Levenshtein distance between a and b, in bytes.
func Of(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// maxEdits limits the edits between a name and its suggestion.
const maxEdits = 2

// Nearest returns the most similar name, or "". It may differ from unknown in at most two
// letters and a third of unknown.
func Nearest(unknown string, names []string) (best string) {
	least := min(maxEdits, len(unknown)/3) + 1
	for _, name := range names {
		if n := Of(unknown, name); n < least {
			best, least = name, n
		}
	}
	return best
}
