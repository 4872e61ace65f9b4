package client

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

// registry caches the enabled peers' names. If it cannot be read, no name is valid.
type registry struct {
	client *MeshClient
	ttl    time.Duration
	cache  cache.Value[peerNames]
}

// peerNames is immutable.
type peerNames struct {
	// names holds enabled peers whose names have the syntax of node names in any case.
	names map[string]bool
	// exceeded is set if the list exceeds a bound. names is then empty, and each name is
	// looked up by itself.
	exceeded error
	// invalid holds undecodable rows by peer name.
	invalid map[string]*RowError
}

// decide reports whether the list has name, or is too large to prove that it does not
// exist.
func (n peerNames) decide(name string) bool { return n.exceeded != nil || n.names[name] }

// check returns an error unless the registry contains exactly this name: a RowError if
// its row is undecodable, else a NotInRegistryError. If the cached registry lacks a name,
// check reads a new one before it rejects the name: the peer may have just registered.
func (r *registry) check(ctx context.Context, name string) error {
	fresh := func(names peerNames, loadedAt time.Time) bool {
		return time.Since(loadedAt) < r.ttl && names.decide(name)
	}
	names, joined, err := r.cache.Get(ctx, fresh, r.client.readRegistry)
	if err == nil && joined && !names.decide(name) {
		// We joined an older request, which the gateway may have answered before the peer
		// registered. Ask once more.
		names, _, err = r.cache.Get(ctx, fresh, r.client.readRegistry)
	}
	if err != nil || names.names[name] {
		return err
	}
	if names.exceeded != nil {
		return r.checkAlone(ctx, name, names.exceeded)
	}
	if row := names.invalid[name]; row != nil {
		return row
	}
	return &NotInRegistryError{Name: name, Near: similarNames(name, names.names)}
}

// checkAlone requests only this peer, or returns exceeded if the gateway is too old to do
// that.
func (r *registry) checkAlone(ctx context.Context, name string, exceeded error) error {
	peer, err := r.client.getPeer(ctx, name, noCapabilities)
	switch {
	case errors.Is(err, ErrNoSuchPath):
		return exceeded
	case err == nil && !(peer.Enabled && peer.Name == name):
		return &NotInRegistryError{Name: name}
	}
	return err
}

func (c *MeshClient) readRegistry(ctx context.Context) (peerNames, error) {
	peers, _, err := c.listPeers(ctx, noCapabilities)
	if exceedsBound(err) || errors.Is(err, ErrIncomplete) {
		c.log.WarnContext(ctx, "the peer list is too large; recipients are looked up one by one", "error", err)
		return peerNames{exceeded: err}, nil
	}
	names := make(map[string]bool, len(peers))
	for _, p := range peers {
		if p.Enabled && isNodeNameInAnyCase(p.Name) { // no other name can be a recipient, or similar to one
			names[p.Name] = true
		}
	}
	if peers == nil {
		return peerNames{}, err
	}
	invalid := make(map[string]*RowError)
	for _, row := range rowErrors(err) {
		invalid[row.Name] = row
	}
	return peerNames{names: names, invalid: invalid}, nil
}

// isNodeNameInAnyCase is isNodeName that also accepts upper-case ASCII letters.
func isNodeNameInAnyCase(name string) bool {
	lower := strings.ToLower(name)
	return len(lower) == len(name) && isNodeName(lower)
}

const (
	maxSimilarNames = 3
	// maxCompared limits the time: 10,000 comparisons take about 0.1 s.
	maxCompared = 10_000
)

// similarNames returns up to three registered names by edit distance or shared prefix,
// the most similar first. It ignores case: another spelling of name comes first.
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
