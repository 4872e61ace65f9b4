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
func similarNames(name string, names map[string]bool) []string {
	if len(names) > maxCompared {
		return nil
	}
	edits := make(map[string]int)
	var similar []string
	for other := range names {
		lower := strings.ToLower(other)
		edits[other] = editdistance.Of(name, lower)
		if edits[other] <= max(2, len(name)/3) || strings.HasPrefix(lower, name) || strings.HasPrefix(name, lower) {
			similar = append(similar, other)
		}
	}
	slices.SortFunc(similar, func(a, b string) int { return cmp.Or(edits[a]-edits[b], strings.Compare(a, b)) })
	return similar[:min(len(similar), maxSimilarNames)]
}
