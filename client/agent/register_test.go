package agent_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestServeRegistersAgainAfterTheGatewayLostItsDatabase(t *testing.T) {
	t.Parallel()
	before, after := emptyGateway(t), emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		before.Store("node-b", "node-a", "question", "before")
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute+time.Second, func() { d.gateway.Store(nil) })
		time.AfterFunc(2*time.Minute, func() {
			after.Store("node-b", "node-a", "question", "after") // later: an id and a time identify a message
			d.gateway.Store(after)
		})
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Register: register, OnError: j.onError}))
		assert.Equal(t, []int64{1, 1}, j.handled, "the new database counts from 1 again")
		assert.NotEmpty(t, j.errors, "the outage is reported")
		peers, err := c.ListPeers(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "node-a", peers[0].Name)
	})
	assert.Len(t, after.Requests(gatewaytest.RegisterPeer), 1)
}

func TestServeRegistersAgainAtAGatewayThatCannotReturnOnePeer(t *testing.T) {
	t.Parallel()
	noPath := func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation != gatewaytest.GetPeer {
			return nil
		}
		return &gatewaytest.Fault{Status: http.StatusNotFound, Body: `{"detail":"Not Found"}`, Header: http.Header{"Content-Type": {"application/json"}}}
	}
	before, after := emptyGateway(t), emptyGateway(t)
	before.FailIf(noPath)
	after.FailIf(noPath)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		time.AfterFunc(5*time.Minute, func() { d.gateway.Store(after) })
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Register: register, OnError: j.onError}))
		assert.Empty(t, j.errors)
	})
	assert.Len(t, before.Requests(gatewaytest.RegisterPeer), 1)
	assert.Len(t, after.Requests(gatewaytest.RegisterPeer), 1)
}

func TestServeDoesNotRegisterADisabledNodeAgain(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		// An alias for the node's own name does not change which peer Serve looks for.
		c, _ := worker(t, g, client.WithAliases(map[string]string{"node-a": "node-a", "alias": "node-a"}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		time.AfterFunc(time.Second, func() { g.Disable("node-a", true) })
		require.NoError(t, agent.Serve(ctx, c, new(journal).handle, agent.ServeOptions{Register: register}))
	})
	assert.Len(t, g.Requests(gatewaytest.RegisterPeer), 1)
	assert.GreaterOrEqual(t, len(g.Requests(gatewaytest.GetPeer)), 9, "the registration is checked every minute or sooner")
}

func TestServeWaitsForAGatewayThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute, func() { d.gateway.Store(g) })
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Register: register, OnError: j.onError}))
		assert.Len(t, j.handled, 1)
		assert.NotEmpty(t, j.errors)
	})
}

func TestServeRepeatsARegistrationThatIsRateLimited(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	g.Fail(gatewaytest.RegisterPeer, gatewaytest.Fault{Status: http.StatusTooManyRequests})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Register: register, OnError: j.onError}))
		assert.Len(t, j.handled, 1)
		require.Len(t, j.errors, 1)
		assert.Equal(t, 429, gatewayError(t, j.errors[0]).StatusCode)
	})
}

func TestServeReturnsARejectedRegistration(t *testing.T) {
	g := emptyGateway(t)
	c := connect(t, g, "node-a", client.WithToken("another.token.of.the.tests"))
	err := agent.Serve(t.Context(), c, new(journal).handle, agent.ServeOptions{Register: register})
	var auth *client.MeshAuthError
	require.ErrorAs(t, err, &auth)
	assert.Empty(t, g.Requests(gatewaytest.ListMessages))
}

func TestServeReportsAFailedCheckOfItsRegistration(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusInternalServerError})
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Register: register, OnError: j.onError}))
		require.Len(t, j.errors, 1)
		require.ErrorContains(t, j.errors[0], "GET /peers/node-a: status 500")
		assert.Equal(t, []int64{0}, j.failed, "without a message")
	})
}

// Neither the node's own capabilities nor the list of all peers matter.
func TestServeChecksItsRegistrationByItsNameAlone(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation != gatewaytest.GetPeer {
			return nil
		}
		return &gatewaytest.Fault{Body: `{"name":"node-a","capabilities":{"x":[` + long("0,", 600_000) + `0]}}`}
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Register: register, OnError: j.onError}))
		assert.Empty(t, j.errors)
	})
	assert.Len(t, g.Requests(gatewaytest.RegisterPeer), 1)
	assert.Empty(t, g.Requests(gatewaytest.ListPeers))
}

// A gateway replaces URL and capabilities, so Serve sends them again if
// ServeOptions.Register leaves them out, even to a new database.
func TestServeKeepsWhatIsRegistered(t *testing.T) {
	t.Parallel()
	const url = "http://10.0.0.7:8787"
	skills := map[string]any{"skills": "go"}
	for name, test := range map[string]struct {
		register client.RegisterRequest
		want     string
	}{
		"nothing given": {client.RegisterRequest{}, `{"capabilities":{"skills":"go"},"name":"node-a","url":"` + url + `"}`},
		"a URL":         {client.RegisterRequest{URL: "http://a"}, `{"capabilities":{"skills":"go"},"name":"node-a","url":"http://a"}`},
		"no skills":     {client.RegisterRequest{Capabilities: map[string]any{}}, `{"capabilities":{},"name":"node-a","url":"` + url + `"}`},
	} {
		g := emptyGateway(t)
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			_, err := c.Register(t.Context(), client.RegisterRequest{URL: url, Capabilities: skills})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			given := test.register
			time.AfterFunc(90*time.Second, g.Reset)
			require.NoError(t, agent.Serve(ctx, c, new(journal).handle, agent.ServeOptions{Register: &given, OnError: func(client.MeshMessage, error) {}}))
			assert.Equal(t, test.register, given, "the caller's request is not changed")
		})
		registrations := g.Requests(gatewaytest.RegisterPeer)
		require.Len(t, registrations, 3, name)
		assert.JSONEq(t, test.want, registrations[1].Body, name)
		assert.JSONEq(t, test.want, registrations[2].Body, name)
	}
}

// An unreadable registration would be lost.
func TestServeDoesNotReplaceARegistrationThatItCannotRead(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusForbidden})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		err := agent.Serve(t.Context(), c, new(journal).handle, agent.ServeOptions{Register: &client.RegisterRequest{}})
		require.ErrorContains(t, err, "GET /peers/node-a: status 403")
	})
	assert.Empty(t, g.Requests(gatewaytest.RegisterPeer))
}
