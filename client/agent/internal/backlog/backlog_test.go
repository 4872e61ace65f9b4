package backlog_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/agent/internal/backlog"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

func TestSendersTakeTurns(t *testing.T) {
	t.Parallel()
	var b backlog.Backlog
	add := func(senders string) {
		var messages []gateway.MeshMessage
		for i, sender := range senders {
			messages = append(messages, gateway.MeshMessage{ID: int64(i), FromNode: string(sender)})
		}
		b.Add(messages)
	}
	add("aaab")
	order := ""
	for range 2 {
		order += fmt.Sprint(b.Next().FromNode)
	}
	add("c")
	for b.Is(backlog.Filled) {
		order += fmt.Sprint(b.Next().FromNode)
	}
	assert.Equal(t, "abaca", order)
}

func TestAwait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b backlog.Backlog
		large := string(make([]byte, backlog.MaxBytes))
		filled := make(chan bool)
		go func() { filled <- b.Await(t.Context(), backlog.Filled) }()
		synctest.Wait()
		b.Add([]gateway.MeshMessage{{Content: &large}})
		assert.True(t, <-filled)
		ctx, stop := context.WithCancel(t.Context())
		room := make(chan bool)
		go func() { room <- b.Await(ctx, backlog.HasRoom) }()
		synctest.Wait()
		stop()
		assert.False(t, <-room)
		b.Next()
		assert.True(t, b.Await(t.Context(), backlog.Empty))
	})
}
