package soak_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
)

// TestLedgerFindsViolations checks that the ledger reports every kind of violation.
func TestLedgerFindsViolations(t *testing.T) {
	t.Parallel()
	task, content := "7", "hello"
	request := client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: content, RelatedTaskID: task}
	receipt := &client.MeshMessage{ID: 1}
	message := client.MeshMessage{ID: 1, FromNode: "node-a", ToNode: "node-b", Kind: client.KindFYI, Content: &content, RelatedTaskID: &task}
	other := message
	other.ID = 2
	changed, wrongKind, stranger := message, message, message
	changed.Content, wrongKind.Kind, stranger.RelatedTaskID = new(string), client.KindAnswer, nil
	lost := &client.MeshGatewayError{}
	accepted := &client.MeshGatewayError{Delivered: true}

	for name, c := range map[string]struct {
		happens func(*ledger)
		want    []string
	}{
		"all is well":       {func(l *ledger) { l.sent(task, receipt, nil); l.arrived("node-b", message); l.marked(message, nil) }, nil},
		"in another order":  {func(l *ledger) { l.arrived("node-b", message); l.marked(message, nil); l.sent(task, receipt, nil) }, nil},
		"without a receipt": {func(l *ledger) { l.sent(task, nil, accepted); l.arrived("node-b", message); l.marked(message, nil) }, nil},
		"failed":            {func(l *ledger) { l.sent(task, nil, lost) }, nil},
		"failed, and there": {func(l *ledger) { l.sent(task, nil, lost); l.arrived("node-b", message); l.marked(message, nil) }, nil},
		"never returned":    {func(*ledger) {}, []string{"Send never returned"}},
		"foreign error":     {func(l *ledger) { l.sent(task, nil, errors.New("oh")) }, []string{"an error is not a client error"}},
		"foreign error of Watch": {
			func(l *ledger) { l.sent(task, nil, lost); l.watchFailed(errors.New("oh")) }, []string{"an error is not a client error"},
		},
		"lost":                   {func(l *ledger) { l.sent(task, receipt, nil) }, []string{"accepted and never arrived"}},
		"lost without a receipt": {func(l *ledger) { l.sent(task, nil, accepted) }, []string{"accepted and never arrived"}},
		"never read":             {func(l *ledger) { l.sent(task, receipt, nil); l.arrived("node-b", message) }, []string{"arrived and was never read"}},
		"MarkRead failed": {
			func(l *ledger) { l.sent(task, receipt, nil); l.arrived("node-b", message); l.marked(message, lost) },
			[]string{"MarkRead failed", "arrived and was never read"},
		},
		"repeated": {
			func(l *ledger) {
				l.sent(task, nil, lost)
				l.arrived("node-b", message)
				l.arrived("node-b", message)
				l.marked(message, nil)
			},
			[]string{"Watch repeated a message"},
		},
		"repeated when it was read": {
			func(l *ledger) {
				l.sent(task, receipt, nil)
				l.arrived("node-b", message)
				l.marked(message, nil)
				l.arrived("node-b", message)
			},
			[]string{"arrived again after it was read, or was never sent"},
		},
		"stored twice": {
			func(l *ledger) {
				l.sent(task, nil, lost)
				l.arrived("node-b", message)
				l.arrived("node-b", other)
				l.marked(message, nil)
			},
			[]string{"a message was stored twice"},
		},
		"somebody else's receipt": {
			func(l *ledger) { l.sent(task, receipt, nil); l.arrived("node-b", other); l.marked(other, nil) },
			[]string{"the receipt has the id of another message"},
		},
		"another content": {
			func(l *ledger) { l.sent(task, receipt, nil); l.arrived("node-b", changed); l.marked(changed, nil) },
			[]string{"arrived with other content"},
		},
		"another kind": {
			func(l *ledger) { l.sent(task, receipt, nil); l.arrived("node-b", wrongKind); l.marked(wrongKind, nil) },
			[]string{"arrived with other content"},
		},
		"another inbox": {
			func(l *ledger) { l.sent(task, receipt, nil); l.arrived("node-c", message); l.marked(message, nil) },
			[]string{"arrived with other content"},
		},
		"the younger first": {
			func(l *ledger) { l.sent(task, nil, lost); l.follows("node-b", 0, 2); l.follows("node-b", 2, 1) },
			[]string{"Watch was not in order"},
		},
		"from nowhere": {
			func(l *ledger) { l.sent(task, nil, lost); l.arrived("node-b", stranger) },
			[]string{"arrived again after it was read, or was never sent"},
		},
	} {
		l, window := newLedger(), make(chan struct{}, 1)
		window <- struct{}{}
		l.sending("node-a", request, window)
		c.happens(l)
		l.close()
		assert.ElementsMatch(t, c.want, slices.Collect(maps.Keys(l.wrong)), name)
		if len(c.want) == 0 {
			assert.Len(t, l.open, 1-l.totals.read, "%s: what is read is forgotten", name)
		}
	}
}
