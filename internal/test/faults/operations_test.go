package faults_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/methods"
)

// operation is one method, and which of its requests fails.
type operation struct {
	name string
	// method is the name of the client's method.
	method string
	// full operations run with every fault, others with those of sample.
	full bool
	// skip is the number of requests with a good response before the fault.
	skip int

	// mesh calls the gateway client; recordings names the recorded responses to its requests.
	mesh       func(context.Context, *client.MeshClient) (any, error)
	recordings []string
	// example is set in place of recordings.
	example func(t *testing.T, folder string) methods.Example
	// request is the method and path in an error. delivers is set if a 2xx status means that a message was accepted.
	request  [2]string
	delivers bool

	// discover calls the discovery client with a timeout for a request. service fails, and its Failures name provider.
	discover func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error)
	service  discovery.Service
	provider models.Provider
	// pageSize splits the good response into pages. dated is a member of its first row and the value to set.
	pageSize int
	dated    [2]string
	// keyed operations run with the provider keys in the environment.
	keyed bool
	// byContext operations have no timeout option. The request of a shared one continues after a caller's context ends, so the
	// Failure of that caller is about the context.
	byContext, shared bool

	// empty is the value returned with a failure.
	empty any
	// text, integer and object are the places of such values in the response that fails.
	text, integer, object path
	// nulls are the outcomes of null, by place. Elsewhere null is accepted.
	nulls map[string]outcome

	exceptions []exception
}

// meets reports whether the operation runs with a fault.
func (op *operation) meets(f *fault) bool { return op.full || slices.Contains(sample, f.name) }

// operations returns all operations.
func operations() []*operation { return append(meshOperations(), discoveryOperations()...) }

func TestEveryOperationIsCovered(t *testing.T) {
	t.Parallel()
	played := make(map[string]bool)
	for _, op := range operations() {
		played[op.method] = true
	}
	withContext := make(map[string]bool)
	for _, of := range []reflect.Type{reflect.TypeFor[*client.MeshClient](), reflect.TypeFor[*discovery.Client]()} {
		for i := range of.NumMethod() {
			if m := of.Method(i); m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[context.Context]() {
				withContext[m.Name] = true
			}
		}
	}
	withContext["Watch"] = true         // of package client/agent, whose other functions are made of these operations
	delete(withContext, "ListMessages") // sends what Fetch does
	delete(withContext, "UpdateFacts")  // its response is no JSON; facts_live_test.go of package discovery has its faults
	delete(withContext, "Reply")        // a Send
	delete(withContext, "CheckSend")    // a part of Send
	delete(withContext, "Do")           // the requests of the other operations, for any method and path
	assert.Equal(t, withContext, played, "add a method that is special in internal/test/methods to meshOperations, one of package discovery to discoveryOperations")
}
