package soak_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestLedgerFindsViolations(t *testing.T) {
	t.Parallel()
	task, content := "7", "hello"
	request := client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: content, RelatedTaskID: task}
	const before, end, after = "2026-05-01T10:00:00.000001+00:00", "2026-05-01T10:00:01Z", "2026-05-01T10:00:02+00:00"
	receipt := &client.MeshMessage{ID: 1, CreatedAt: before}
	message := client.MeshMessage{ID: 1, CreatedAt: before, FromNode: "node-a", ToNode: "node-b", Kind: client.KindFYI, Content: &content, RelatedTaskID: &task}
	other := message
	other.ID = 2
	changed, wrongKind, implausibler := message, message, message
	changed.Content, wrongKind.Kind, implausibler.RelatedTaskID = new(string), client.KindAnswer, nil
	lost := &client.MeshGatewayError{}
	accepted := &client.MeshGatewayError{Method: "POST", Delivered: true, RequestID: truncated.name}
	notFound := &client.MeshGatewayError{StatusCode: 404}
	second := message // the same id in the next database
	second.CreatedAt = after
	ended, err := time.Parse(time.RFC3339, end)
	require.NoError(t, err)
	replaced := func(tasks ...string) replacement { return replacement{At: ended, Lost: tasks} }

	for name, c := range map[string]struct {
		happens func(*ledger)
		want    []string
	}{
		"all is well": {func(l *ledger) {
			l.sendReturned(task, receipt, nil)
			l.arrived("node-b", message)
			l.marked(message, nil, false)
		}, nil},
		"in another order": {func(l *ledger) {
			l.arrived("node-b", message)
			l.marked(message, nil, false)
			l.sendReturned(task, receipt, nil)
		}, nil},
		"without a receipt": {func(l *ledger) {
			l.sendReturned(task, nil, accepted)
			l.arrived("node-b", message)
			l.marked(message, nil, false)
		}, nil},
		"failed": {func(l *ledger) { l.sendReturned(task, nil, lost) }, nil},
		"failed, and there": {func(l *ledger) {
			l.sendReturned(task, nil, lost)
			l.arrived("node-b", message)
			l.marked(message, nil, false)
		}, nil},
		"never returned": {func(*ledger) {}, []string{"Send never returned"}},
		"foreign error":  {func(l *ledger) { l.sendReturned(task, nil, errors.New("oh")) }, []string{"an error is not a client error"}},
		"foreign error of Watch": {
			func(l *ledger) { l.sendReturned(task, nil, lost); l.watchFailed(errors.New("oh")) }, []string{"an error is not a client error"},
		},
		"lost":                   {func(l *ledger) { l.sendReturned(task, receipt, nil) }, []string{"accepted and never arrived"}},
		"lost without a receipt": {func(l *ledger) { l.sendReturned(task, nil, accepted) }, []string{"accepted and never arrived"}},
		"never read":             {func(l *ledger) { l.sendReturned(task, receipt, nil); l.arrived("node-b", message) }, []string{"arrived and was never read"}},
		"MarkRead failed, and again": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", message)
				l.marked(message, lost, false)
				l.marked(message, notFound, true)
			}, nil,
		},
		"MarkRead failed": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", message)
				l.marked(message, notFound, false)
			},
			[]string{"MarkRead failed with 404"},
		},
		"repeated": {
			func(l *ledger) {
				l.sendReturned(task, nil, lost)
				l.arrived("node-b", message)
				l.arrived("node-b", message)
				l.marked(message, nil, false)
			},
			[]string{"a message was repeated"},
		},
		"repeated when it was read": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", message)
				l.marked(message, nil, false)
				l.arrived("node-b", message)
			},
			[]string{"arrived again after it was read, or was never sent"},
		},
		"stored twice": {
			func(l *ledger) {
				l.sendReturned(task, nil, lost)
				l.arrived("node-b", message)
				l.arrived("node-b", other)
				l.marked(message, nil, false)
				l.marked(other, nil, false)
			},
			[]string{"a message was stored twice"},
		},
		"stored in two databases": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", message)
				l.databaseReplaced(replaced())
				l.arrived("node-b", second)
				l.marked(message, nil, false)
				l.marked(second, nil, false)
			},
			[]string{"a message was stored twice"},
		},
		"lost with its database": {
			func(l *ledger) { l.sendReturned(task, receipt, nil); l.databaseReplaced(replaced(task)) }, nil,
		},
		"lost, and not in the lost database": {
			func(l *ledger) { l.sendReturned(task, receipt, nil); l.databaseReplaced(replaced()) }, []string{"accepted and never arrived"},
		},
		"sent again in the next database": {
			func(l *ledger) {
				l.databaseReplaced(replaced(task))
				l.sendReturned(task, &second, nil)
				l.arrived("node-b", second)
				l.marked(second, nil, false)
			}, nil,
		},
		"lost, then stored again and lost": {
			func(l *ledger) { l.databaseReplaced(replaced(task)); l.sendReturned(task, &second, nil) }, []string{"accepted and never arrived"},
		},
		"lost before it was marked": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", message)
				l.databaseReplaced(replaced(task))
				l.marked(message, notFound, false)
			}, nil,
		},
		"marked by an id of the database before": {
			func(l *ledger) {
				l.sendReturned(task, nil, lost)
				l.arrived("node-b", message)
				l.databaseReplaced(replaced())
				l.marked(message, nil, false)
				l.marked(second, notFound, false)
			}, nil,
		},
		"Delivered without an answer": {
			func(l *ledger) {
				l.sendReturned(task, nil, &client.MeshGatewayError{Delivered: true})
				l.arrived("node-b", message)
				l.marked(message, nil, false)
			},
			[]string{"Delivered is wrong"},
		},
		"not Delivered": {
			func(l *ledger) {
				l.sendReturned(task, nil, &client.MeshGatewayError{Method: "POST", RequestID: empty.name})
			}, []string{"Delivered is wrong"},
		},
		"Delivered by a captive portal": {
			func(l *ledger) {
				l.sendReturned(task, nil, &client.MeshGatewayError{Method: "POST", Delivered: true, RequestID: notJSON.name})
				l.arrived("node-b", message)
				l.marked(message, nil, false)
			},
			[]string{"Delivered is wrong", "Uncertain is wrong"},
		},
		"the receipt of another message": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", other)
				l.marked(other, nil, false)
			},
			[]string{"the receipt has the id of another message"},
		},
		"another content": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", changed)
				l.marked(changed, nil, false)
			},
			[]string{"arrived with other content"},
		},
		"another kind": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-b", wrongKind)
				l.marked(wrongKind, nil, false)
			},
			[]string{"arrived with other content"},
		},
		"another inbox": {
			func(l *ledger) {
				l.sendReturned(task, receipt, nil)
				l.arrived("node-c", message)
				l.marked(message, nil, false)
			},
			[]string{"arrived with other content"},
		},
		"the younger first": {
			func(l *ledger) {
				l.sendReturned(task, nil, lost)
				l.checkOrder("node-b", messageID{0, 1}, messageID{0, 2})
				l.checkOrder("node-b", messageID{0, 2}, messageID{0, 1})
			},
			[]string{"Watch was not in order"},
		},
		"from nowhere": {
			func(l *ledger) { l.sendReturned(task, nil, lost); l.arrived("node-b", implausibler) },
			[]string{"arrived again after it was read, or was never sent"},
		},
	} {
		l, window := newLedger(), make(chan struct{}, 1)
		window <- struct{}{}
		l.sendStarted("node-a", request, window)
		c.happens(l)
		l.close(nil)
		assert.ElementsMatch(t, c.want, slices.Collect(maps.Keys(l.violations)), name)
		if len(c.want) == 0 && len(l.replaced) == 0 {
			assert.Len(t, l.open, 1-l.totals.read, "%s: a message that is read is forgotten", name)
		}
	}
}
