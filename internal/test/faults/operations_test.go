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
)

// operation is one method, with the one of its requests that goes wrong.
type operation struct {
	name string
	// method is that of the client.
	method string
	// full is set for the operations that meet every fault. The others meet those of sample.
	full bool
	// skip is how many requests are answered well before the fault.
	skip int

	// mesh calls a method of the gateway's client; tape names the recorded answers to its requests.
	mesh func(context.Context, *client.MeshClient) (any, error)
	tape []string
	// request is what an error says was asked, and delivers whether a 2xx status means that a message is on its way.
	request  [2]string
	delivers bool

	// ask calls a method of the discovery client, which has so much time for a request. It is the service that goes wrong, and
	// provider what a Failure calls it.
	ask      func(ctx context.Context, c *discovery.Client, timeout time.Duration) (any, error)
	service  discovery.Service
	provider discovery.Provider
	// reads is the Operation of the Failures, where that is not the method.
	reads string
	// pageSize makes pages of the good answer, and dated is a member of its first row, with the value that it gets.
	pageSize int
	dated    [2]string
	// keyed is set where the keys of the providers are in the environment.
	keyed bool
	// byContext is set where no option bounds the time, and shared where the request belongs to all that ask: then a caller
	// whose time is up is told of its own context, since nobody knows yet what becomes of the request.
	byContext, shared bool

	// empty is the value that comes with a failure.
	empty any
	// text, integer and object lead to a text, an integer and an object in the body of the answer that goes wrong.
	text, integer, object path
	// nulls is what null in the place of a value breaks, by place; null elsewhere breaks nothing.
	nulls map[string]outcome

	exceptions []exception
}

// meets reports whether a fault is played to the operation.
func (op *operation) meets(f *fault) bool { return op.full || slices.Contains(sample, f.name) }

// operations are all of them.
func operations() []*operation { return append(meshOperations(), discoveryOperations()...) }

func TestNoOperationIsForgotten(t *testing.T) {
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
	assert.Equal(t, withContext, played)
}
