package contract

import (
	"net/url"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// coverage is the set of operations and query parameters that requests have used: "listPeers", "listPeers?enabled_only".
// The zero value is empty.
type coverage struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (c *coverage) add(operation string, query url.Values) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = make(map[string]bool)
	}
	c.seen[operation] = true
	for name := range query {
		c.seen[operation+"?"+name] = true
	}
}

func (c *coverage) has(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[name]
}

// Unexercised lists the operations that no checked request has called, and the query parameters that no call of the other
// operations has sent, as "operation?parameter". The list is sorted.
func (c *Checker) Unexercised() []string {
	var missing []string
	for _, path := range c.doc.Paths.Map() {
		for _, op := range path.Operations() {
			if !c.used.has(op.OperationID) {
				missing = append(missing, op.OperationID)
				continue
			}
			for _, p := range op.Parameters {
				if name := op.OperationID + "?" + p.Value.Name; p.Value.In == openapi3.ParameterInQuery && !c.used.has(name) {
					missing = append(missing, name)
				}
			}
		}
	}
	slices.Sort(missing)
	return missing
}
