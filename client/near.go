package client

import (
	"cmp"
	"slices"
	"strings"
)

// mostNear is how many similar names an error offers.
const mostNear = 3

// near lists the valid names within a third of the length in edits, and those that one begins with the other, nearest first.
func near(name string, names roster) []string {
	type candidate struct {
		name  string
		edits int
	}
	var close []candidate
	for other := range names {
		if !nodeName.MatchString(other) {
			continue // whatever else the registry holds stays out of errors and logs
		}
		edits := distance(name, other)
		if edits <= max(2, len(name)/3) || strings.HasPrefix(other, name) || strings.HasPrefix(name, other) {
			close = append(close, candidate{other, edits})
		}
	}
	slices.SortFunc(close, func(a, b candidate) int { return cmp.Or(a.edits-b.edits, strings.Compare(a.name, b.name)) })
	var list []string
	for _, c := range close[:min(len(close), mostNear)] {
		list = append(list, c.name)
	}
	return list
}

// distance is the number of bytes to insert, delete or replace that turns a into b (Levenshtein).
func distance(a, b string) int {
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
