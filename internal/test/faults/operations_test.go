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

// operation calls a client method and says which request fails.
type operation struct {
	name   string
	method string
	// full operations run with all faults, others only with the sample.
	full bool
	// skip counts the requests that get a good response before the fault.
	skip int

	// mesh calls the gateway client. recordings names the responses it gets.
	mesh       func(context.Context, *client.MeshClient) (any, error)
	recordings []string
	// example is set instead of recordings.
	example func(t *testing.T, folder string) methods.Example
	// request is the method and path in an error. delivers is set if a 2xx status means
	// that the message was accepted.
	request  [2]string
	delivers bool

	// discover calls the discovery client with a request timeout. service fails, and its
	// Failures name provider.
	discover func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error)
	service  discovery.Service
	provider models.Provider
	// pageSize splits the good response into pages. dated is a member in its first row,
	// and the value to set.
	pageSize int
	dated    [2]string
	// keyed operations run with provider keys in the environment.
	keyed bool
	// byContext operations have no timeout option. A shared operation's request continues
	// after a caller's context ends, so that caller's Failure is about the context.
	byContext, shared bool

	empty any
	// text, integer and object locate such values in the response that fails.
	text, integer, object path
	// place -> outcome if it's null; elsewhere null is accepted
	nulls map[string]outcome

	exceptions []exception
}

// meets reports whether the operation runs with f.
func (op *operation) meets(f *fault) bool { return op.full || slices.Contains(sample, f.name) }

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
	withContext["Watch"] = true         // in package client/agent, where other functions combine these operations
	delete(withContext, "ListMessages") // sends the same request as Fetch
	delete(withContext, "UpdateFacts")  // its response isn't JSON; facts_live_test.go in package discovery has its faults
	delete(withContext, "Reply")        // a Send
	delete(withContext, "CheckSend")    // part of Send
	delete(withContext, "Do")           // sends the same requests as the others, for any method and path
	assert.Equal(t, withContext, played, "add a special method in internal/test/methods to meshOperations, a discovery method to discoveryOperations")
}
