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

// registry caches the names of the enabled peers. A name is valid only when the gateway
// lists it: if the registry cannot be read, no name is valid.
type registry struct {
	client *MeshClient
	ttl    time.Duration
	cache  cache.Value[peerNames]
}

// peerNames is the result of reading the registry. It is immutable.
type peerNames struct {
	// names are those of the enabled peers, as far as they have the syntax of a node name in
	// any case.
	names map[string]bool
	// exceeded is the error of a list that exceeds a bound. The set is empty then, and each
	// name is looked up by itself.
	exceeded error
	// invalid has the peers whose rows cannot be decoded.
	invalid map[string]*RowError
}

// decide reports whether the list has name, or is too large to show that it does not
// exist.
func (n peerNames) decide(name string) bool { return n.exceeded != nil || n.names[name] }

// check returns an error unless the registry contains exactly this name: a RowError if
// its row cannot be decoded, else a NotInRegistryError. A name that is missing from the
// cached registry is looked up in a new one before it is rejected, so that a message to a
// peer that has just registered is sent.
func (r *registry) check(ctx context.Context, name string) error {
	fresh := func(names peerNames, loadedAt time.Time) bool {
		return time.Since(loadedAt) < r.ttl && names.decide(name)
	}
	names, joined, err := r.cache.Get(ctx, fresh, r.client.readRegistry)
	if err == nil && joined && !names.decide(name) {
		// The gateway may have answered that request before the peer registered. A request that
		// begins now decides.
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

// checkAlone is check by a request for this peer. Older gateways do not have it: exceeded
// is the error then.
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

// readRegistry returns the names of the enabled peers.
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

// isNodeNameInAnyCase reports whether name has the syntax of a node name but for
// upper-case ASCII letters.
func isNodeNameInAnyCase(name string) bool {
	lower := strings.ToLower(name)
	return len(lower) == len(name) && isNodeName(lower)
}

const (
	// maxSimilarNames is the number of similar names that an error lists.
	maxSimilarNames = 3
	// maxCompared bounds the time that an error takes: 10,000 comparisons take about 0.1 s.
	maxCompared = 10_000
)

// similarNames returns up to three registered names by edit distance or shared prefix,
// the most similar first. Case does not count, so that another spelling of name comes
// first.
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
