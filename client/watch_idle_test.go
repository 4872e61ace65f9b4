package client_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestWatchPollsLessOftenWhileTheInboxIsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &inbox{answers: []http.HandlerFunc{rows(), rows(), rows(), rows(), rows(), rows(1), rows(1)}}
		c, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithHTTPClient(&http.Client{Transport: inProcessTransport(i.handle)}))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		for range c.Watch(ctx, client.WatchOptions{Interval: 5 * time.Second, IdleInterval: 30 * time.Second}) {
		}
		for poll, want := range []time.Duration{10, 20, 30, 30, 30, 5, 10, 20, 30} {
			pause := i.polls[poll+1].Sub(i.polls[poll])
			assert.GreaterOrEqual(t, pause, want*time.Second*3/4, "pause %d", poll+1)
			assert.LessOrEqual(t, pause, want*time.Second*5/4, "pause %d", poll+1)
		}
	})
}

func TestWatchRejectsAnIdleIntervalBelowTheInterval(t *testing.T) {
	c := connect(t, gateway(t), "node-a")
	for _, err := range c.Watch(t.Context(), client.WatchOptions{IdleInterval: time.Second}) {
		assert.Equal(t, "IdleInterval", valueError(t, err).Field)
	}
}
