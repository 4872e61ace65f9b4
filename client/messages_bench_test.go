package client_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	gen "github.com/mesh-gateway/mesh-go/gen/gateway"
)

// This benchmark decodes an inbox, compared with encoding/json.

// plainMessage is a hand-written client's struct: the same fields, without unknown ones.
type plainMessage struct {
	ID            int64        `json:"id"`
	FromNode      string       `json:"from_node"`
	ToNode        string       `json:"to_node"`
	Kind          string       `json:"kind"`
	Content       *string      `json:"content"`
	CreatedAt     string       `json:"created_at"`
	ReadAt        *string      `json:"read_at"`
	RelatedTaskID *json.Number `json:"related_task_id"`
	ThreadID      *string      `json:"thread_id"`
}

// thousandRows returns an inbox as the gateway sends it. Each row has two fields that the
// document does not list.
func thousandRows() []byte {
	rows := make([]string, 1000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id": %d, "thread_id": null, "from_node": "node-a", "to_node": "node-c", "x_channel": null, "x_mentions": null,
			"kind": "question", "content": "status of the nightly build? this is message number %d", "related_task_id": null,
			"created_at": "2026-11-21T08:28:39.167872+00:00", "read_at": null}`, 1000-i, i)
	}
	return []byte(`{"messages": [` + strings.Join(rows, ", ") + `], "n": 1000}`)
}

// BenchmarkInbox decodes 1,000 rows. impl=mesh decodes into the generated types, keeps
// unknown fields and checks required ones; impl=baseline decodes into plain structs with
// encoding/json.
func BenchmarkInbox(b *testing.B) {
	body := thousandRows()
	b.Run("impl=mesh", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var list gen.MessageList
			if err := list.UnmarshalJSON(body); err != nil || len(list.Messages[999].AdditionalProperties) != 2 {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var list struct {
				Messages []plainMessage `json:"messages"`
			}
			if err := json.Unmarshal(body, &list); err != nil || len(list.Messages) != 1000 {
				b.Fatal(err)
			}
		}
	})
}
