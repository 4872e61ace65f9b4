package client

import (
	"context"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/cache"
)

// registry caches the names of the enabled peers. A name is valid only when the gateway lists it: an error while reading
// the registry makes every name invalid.
type registry struct {
	ttl   time.Duration
	load  func(context.Context) (roster, error)
	cache cache.Value[roster]
}

func newRegistry(ttl time.Duration, list func(context.Context) ([]MeshPeer, error)) *registry {
	return &registry{ttl: ttl, load: func(ctx context.Context) (roster, error) {
		peers, err := list(ctx)
		return newRoster(peers), err
	}}
}

// resolve returns name as the registry spells it. A name that is missing from the cached registry is looked up in a new
// one before it is refused, so that a peer that has just registered can be written to.
func (r *registry) resolve(ctx context.Context, name string) (string, error) {
	fresh := func(names roster, loadedAt time.Time) bool { return time.Since(loadedAt) < r.ttl && names.has(name) }
	names, joined, err := r.cache.Get(ctx, fresh, r.load)
	if err == nil && joined && !names.has(name) {
		// The gateway may have answered that request before name registered; one that begins now decides.
		names, _, err = r.cache.Get(ctx, fresh, r.load)
	}
	if err != nil {
		return "", err
	}
	if spelled, ok := names.find(name); ok {
		return spelled, nil
	}
	return "", &NotInRegistryError{Name: name, Near: near(name, names)}
}

// roster is the names of the enabled peers. It is never changed once made.
type roster map[string]struct{}

func newRoster(peers []MeshPeer) roster {
	names := make(roster, len(peers))
	for _, p := range peers {
		if p.Enabled {
			names[p.Name] = struct{}{}
		}
	}
	return names
}

// find returns name as the registry spells it: exactly, or else the one name that differs in nothing but case.
func (names roster) find(name string) (string, bool) {
	if _, ok := names[name]; ok {
		return name, true
	}
	found, n := "", 0
	for spelled := range names {
		// Of one length, so that no letter from beyond ASCII passes for one of ours: EqualFold takes ſ for s.
		if len(spelled) == len(name) && strings.EqualFold(spelled, name) {
			found, n = spelled, n+1
		}
	}
	return found, n == 1
}

func (names roster) has(name string) bool {
	_, ok := names.find(name)
	return ok
}
