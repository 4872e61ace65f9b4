package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// Each benchmark compares impl=mesh, the generated types, with impl=baseline in one run.
// Unless a benchmark says otherwise, the baseline is encoding/json with plain structs,
// which drop unknown fields and check nothing.

// A hand-written client would use plainInbox: the same fields, without unknown ones.
type plainInbox struct {
	Messages []plainMessage `json:"messages"`
	N        *int64         `json:"n,omitempty"`
}

type plainMessage struct {
	Content       *string `json:"content"`
	CreatedAt     string  `json:"created_at"`
	FromNode      string  `json:"from_node"`
	ID            int64   `json:"id"`
	Kind          string  `json:"kind"`
	ReadAt        *string `json:"read_at"`
	RelatedTaskID *string `json:"related_task_id"`
	ThreadID      *string `json:"thread_id"`
	ToNode        string  `json:"to_node"`
}

// inbox returns n messages as a gateway sends them. Each row has two unknown fields.
func inbox(n int) []byte {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id": %d, "thread_id": null, "from_node": "node-%c", "to_node": "node-c", "x_first": null, "x_second": null,
			"kind": "question", "content": "status of the nightly build? this is message number %d", "related_task_id": null,
			"created_at": "2026-11-21T08:28:%02d.%06d+00:00", "read_at": null}`, n-i, 'a'+i%20, i, i%60, i)
	}
	return []byte(`{"messages": [` + strings.Join(rows, ", ") + fmt.Sprintf(`], "n": %d}`, n))
}

func BenchmarkDecodeInbox(b *testing.B) {
	body := inbox(1000)
	b.Run("impl=mesh", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var list gateway.MessageList
			if err := list.UnmarshalJSON(body); err != nil || len(list.Messages[999].AdditionalProperties) != 2 {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var list plainInbox
			if err := json.Unmarshal(body, &list); err != nil || len(list.Messages) != 1000 {
				b.Fatal(err)
			}
		}
	})
}

// Each peer has a map with values in any type.
func BenchmarkDecodePeers(b *testing.B) {
	rows := make([]string, 1000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"name": "node-%d", "url": "http://node-%d:8787", "enabled": true, "last_seen": null, "owner": null,
			"capabilities": {"runtime": "go", "can_claim_tasks": true, "max_jobs": %d, "queues": ["build", "test"]}}`, i, i, i)
	}
	body := []byte(`{"peers": [` + strings.Join(rows, ", ") + `]}`)
	b.Run("impl=mesh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var list gateway.PeerList
			if err := list.UnmarshalJSON(body); err != nil || len(list.Peers[999].Capabilities) != 4 {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var list struct {
				Peers []struct {
					Name         string         `json:"name"`
					URL          *string        `json:"url"`
					Enabled      bool           `json:"enabled"`
					LastSeen     *string        `json:"last_seen"`
					Capabilities map[string]any `json:"capabilities"`
				} `json:"peers"`
			}
			if err := json.Unmarshal(body, &list); err != nil || len(list.Peers) != 1000 {
				b.Fatal(err)
			}
		}
	})
}
