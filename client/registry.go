package client

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/flight"
)

// registry remembers which peers the gateway lists, for a while. It fails closed: without an answer no name is valid.
type registry struct {
	ttl    time.Duration
	list   func(context.Context) ([]MeshPeer, error)
	flight flight.Flight[roster]

	mu     sync.RWMutex
	last   roster
	readAt time.Time
}

func newRegistry(ttl time.Duration, list func(context.Context) ([]MeshPeer, error)) *registry {
	return &registry{ttl: ttl, list: list}
}

// resolve returns name as the registry spells it. A name that is not in what was remembered is asked for again before it
// is refused, so that a peer that has just registered can be written to.
func (r *registry) resolve(ctx context.Context, name string) (string, error) {
	if spelled, ok := r.remembered().find(name); ok {
		return spelled, nil
	}
	names, joined, err := r.read(ctx, name)
	if err == nil && joined && !names.has(name) {
		// The request we joined was under way before we asked; only one that begins now can say no.
		names, _, err = r.read(ctx, name)
	}
	if err != nil {
		return "", err
	}
	if spelled, ok := names.find(name); ok {
		return spelled, nil
	}
	return "", &NotInRegistryError{Name: name, Near: near(name, names)}
}

// remembered returns the names as last read, or nothing when that is too long ago.
func (r *registry) remembered() roster {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if time.Since(r.readAt) >= r.ttl {
		return nil
	}
	return r.last
}

// read asks the gateway for a name; everybody who asks at the same time shares one request. Between our look at what is
// remembered and the start of a request another one may have ended, so there is a second look.
func (r *registry) read(ctx context.Context, name string) (names roster, joined bool, err error) {
	return r.flight.Do(ctx, func(ctx context.Context) (roster, error) {
		if names := r.remembered(); names.has(name) {
			return names, nil
		}
		peers, err := r.list(ctx)
		if err != nil {
			return nil, err
		}
		names := newRoster(peers)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.last, r.readAt = names, time.Now()
		return names, nil
	})
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
