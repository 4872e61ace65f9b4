package contract

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// coverage records used operations and parameters: "listPeers", "listPeers?enabled_only"
// for a query parameter, "listModels:If-None-Match" for a header. The zero value is
// empty.
type coverage struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (c *coverage) add(operation string, query url.Values, header http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = make(map[string]bool)
	}
	c.seen[operation] = true
	for name := range query {
		c.seen[operation+"?"+name] = true
		if object, _, ok := strings.Cut(name, "["); ok { // where[topic]=x
			c.seen[operation+"?"+object] = true
		}
	}
	for name := range header {
		c.seen[operation+":"+name] = true
	}
}

func (c *coverage) has(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[name]
}

// Unexercised returns operations that no checked request has called, and query and header
// parameters that no call to another operation has sent. They are named as in coverage
// and sorted.
func (c *Checker) Unexercised() []string {
	var missing []string
	for _, path := range c.doc.Paths.Map() {
		for _, op := range path.Operations() {
			if !c.used.has(op.OperationID) {
				missing = append(missing, op.OperationID)
				continue
			}
			for _, p := range op.Parameters {
				if name := parameterName(op.OperationID, p.Value); name != "" && !c.used.has(name) {
					missing = append(missing, name)
				}
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// parameterName returns "" for path parameters, which every call sends.
func parameterName(operation string, p *openapi3.Parameter) string {
	switch p.In {
	case openapi3.ParameterInQuery:
		return operation + "?" + p.Name
	case openapi3.ParameterInHeader:
		return operation + ":" + http.CanonicalHeaderKey(p.Name)
	default:
		return ""
	}
}
