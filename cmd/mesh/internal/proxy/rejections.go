package proxy

import (
	"cmp"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// Rejection is the connections of a client that does not accept the certificate of the authority. Its calls were not sent.
type Rejection struct {
	Host string `json:"host"`
	// Client is the User-Agent with which the client opened its tunnels; "" if it has none.
	Client string `json:"client"`
	// Alert is the TLS alert that the client sent; "" if it closed the connection without one.
	Alert       string `json:"alert"`
	Connections int    `json:"connections"`
}

// rejections counts connections that had no request.
type rejections struct {
	mu       sync.Mutex
	counts   map[Rejection]int // by their other fields
	accepted map[Rejection]bool
}

func rejectionOf(d *decrypted, alert string) Rejection {
	return Rejection{Host: withoutPort(d.address), Client: output.Shorten(output.Line(d.agent)), Alert: alert}
}

func (r *rejections) add(d *decrypted, alert string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[rejectionOf(d, alert)]++
}

// accept notes that a client has accepted the certificate. It may open more connections than it uses.
func (r *rejections) accept(d *decrypted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accepted[rejectionOf(d, "")] = true
}

// all returns the rejections in the order of their hosts.
func (r *rejections) all() []Rejection {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []Rejection{}
	for key, n := range r.counts {
		if !r.accepted[key] {
			key.Connections = n
			list = append(list, key)
		}
	}
	slices.SortFunc(list, func(a, b Rejection) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Alert, b.Alert))
	})
	return list
}
