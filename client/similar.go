package client

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

const (
	// maxSimilarNames is the number of similar names that an error lists.
	maxSimilarNames = 3
	// maxCompared bounds the time that an error takes: 10,000 comparisons take about 0.1 s.
	maxCompared = 10_000
)

// similarNames returns up to three registered names by edit distance or shared prefix, the most similar first. Case does not
// count, so that another spelling of name comes first.
func similarNames(name string, names nameSet) []string {
	if len(names) > maxCompared {
		return nil
	}
	type candidate struct {
		name  string
		edits int
	}
	var similar []candidate
	for other := range names {
		lower := strings.ToLower(other)
		edits := editdistance.Of(name, lower)
		if edits <= max(2, len(name)/3) || strings.HasPrefix(lower, name) || strings.HasPrefix(name, lower) {
			similar = append(similar, candidate{other, edits})
		}
	}
	slices.SortFunc(similar, func(a, b candidate) int { return cmp.Or(a.edits-b.edits, strings.Compare(a.name, b.name)) })
	var list []string
	for _, c := range similar[:min(len(similar), maxSimilarNames)] {
		list = append(list, c.name)
	}
	return list
}
