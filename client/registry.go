package client

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/cache"
)

// registry caches the names of the enabled peers. A name is valid only when the gateway lists it: if the registry cannot
// be read, no name is valid.
type registry struct {
	ttl   time.Duration
	load  func(context.Context) (nameSet, error)
	cache cache.Value[nameSet]
}

func newRegistry(ttl time.Duration, list func(context.Context) ([]MeshPeer, error)) *registry {
	return &registry{ttl: ttl, load: func(ctx context.Context) (nameSet, error) {
		peers, err := list(ctx)
		return newNameSet(peers), err
	}}
}

// resolve returns name as the registry spells it. A name that is missing from the cached registry is looked up in a new
// one before it is rejected, so that a message to a peer that has just registered is sent.
func (r *registry) resolve(ctx context.Context, name string) (string, error) {
	fresh := func(names nameSet, loadedAt time.Time) bool { return time.Since(loadedAt) < r.ttl && names.has(name) }
	names, joined, err := r.cache.Get(ctx, fresh, r.load)
	if err == nil && joined && !names.has(name) {
		// The gateway may have answered that request before the peer registered. A request that begins now decides.
		names, _, err = r.cache.Get(ctx, fresh, r.load)
	}
	if err != nil {
		return "", err
	}
	if spelled, ok := names.find(name); ok {
		return spelled, nil
	}
	return "", &NotInRegistryError{Name: name, Near: similarNames(name, names)}
}

// nameSet is the set of the names of the enabled peers. It is immutable.
type nameSet map[string]struct{}

func newNameSet(peers []MeshPeer) nameSet {
	names := make(nameSet, len(peers))
	for _, p := range peers {
		if p.Enabled {
			names[p.Name] = struct{}{}
		}
	}
	return names
}

// find returns name as the registry spells it: exactly, or else the one name that differs in nothing but case.
func (names nameSet) find(name string) (string, bool) {
	if _, ok := names[name]; ok {
		return name, true
	}
	found, n := "", 0
	for spelled := range names {
		// Names of equal length only: EqualFold also matches letters outside ASCII, such as ſ for s.
		if len(spelled) == len(name) && strings.EqualFold(spelled, name) {
			found, n = spelled, n+1
		}
	}
	return found, n == 1
}

func (names nameSet) has(name string) bool {
	_, ok := names.find(name)
	return ok
}

// maxSimilarNames is the number of similar names that an error lists.
const maxSimilarNames = 3

// similarNames returns up to three registered names by edit distance or shared prefix, the most similar first.
func similarNames(name string, names nameSet) []string {
	type candidate struct {
		name  string
		edits int
	}
	var similar []candidate
	for other := range names {
		if !nodeName.MatchString(other) {
			continue // an error must not show arbitrary text from the registry
		}
		edits := editDistance(name, other)
		if edits <= max(2, len(name)/3) || strings.HasPrefix(other, name) || strings.HasPrefix(name, other) {
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

// editDistance returns the Levenshtein distance of a and b in bytes.
func editDistance(a, b string) int {
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
