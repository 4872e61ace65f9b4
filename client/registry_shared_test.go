package client_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// These tests cover concurrent sends, which share requests for the registry.

func TestConcurrentSendsShareOneRegistryRequest(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	var all sync.WaitGroup
	var failures atomic.Int64
	for range 100 {
		all.Go(func() {
			if _, err := c.Send(t.Context(), hello("node-b")); err != nil {
				failures.Add(1)
			}
		})
	}
	all.Wait()
	assert.Zero(t, failures.Load())
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 100)
	assert.Len(t, g.Requests(gatewaytest.ListPeers), 1)
}

func TestCanceledSendDoesNotCancelASharedRegistryRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, release := 0, make(chan struct{})
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				reads++
				<-release
				_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
				return
			}
			_, _ = w.Write([]byte(receipt))
		})
		impatient, leave := context.WithCancel(t.Context())
		left, stayed := make(chan error, 1), make(chan error, 1)
		go func() { _, err := c.Send(impatient, hello("node-b")); left <- err }()
		synctest.Wait() // the request is in progress
		go func() { _, err := c.Send(t.Context(), hello("node-b")); stayed <- err }()
		synctest.Wait() // and a second caller has joined
		leave()
		err := <-left
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, client.ErrMesh)
		close(release)
		require.NoError(t, <-stayed)
		assert.Equal(t, 1, reads)
	})
}

func TestRegistryRequestThatBeganEarlierDoesNotReject(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, release := 0, make(chan struct{})
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				_, _ = w.Write([]byte(receipt))
				return
			}
			if reads++; reads == 1 {
				<-release // this response was built before node-b registered
				_, _ = w.Write([]byte(`[{"name":"node-c"}]`))
				return
			}
			_, _ = w.Write([]byte(`[{"name":"node-b"},{"name":"node-c"}]`))
		})
		early, late := make(chan error, 1), make(chan error, 1)
		go func() { _, err := c.Send(t.Context(), hello("node-c")); early <- err }()
		synctest.Wait()
		go func() { _, err := c.Send(t.Context(), hello("node-b")); late <- err }()
		synctest.Wait()
		close(release)
		require.NoError(t, <-early)
		require.NoError(t, <-late)
		assert.Equal(t, 2, reads)
	})
}

// Only a missing name is looked up again. All waiting callers share a failure.
func TestConcurrentSendsShareAFailedRegistryRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, release := 0, make(chan struct{})
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			reads++
			<-release
			w.WriteHeader(503)
		})
		failed := make(chan error, 3)
		for range cap(failed) {
			go func() { _, err := c.Send(t.Context(), hello("node-b")); failed <- err }()
			synctest.Wait() // the first request is in progress, and the others have joined
		}
		close(release)
		for range cap(failed) {
			assert.Equal(t, 503, gatewayError(t, <-failed).StatusCode)
		}
		assert.Equal(t, 1, reads)
	})
}
