package agent_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mesh-gateway/mesh-go/client/agent"
)

func TestWatchIntervalHasJitterOfAQuarter(t *testing.T) {
	t.Parallel()
	var pauses []time.Duration
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			box := &inbox{answers: []http.HandlerFunc{rows(1), rows(2)}}
			watch(t.Context(), inProcess(t, box.handle), agent.WatchOptions{}, 2)
			pauses = append(pauses, box.polls[1].Sub(box.polls[0]))
		})
	}
	checkSpread(t, agent.DefaultWatchInterval*3/4, agent.DefaultWatchInterval*5/4, pauses)
}
