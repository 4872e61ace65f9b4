package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

func BenchmarkEncodeInbox(b *testing.B) {
	var list gateway.MessageList
	var plain plainInbox
	if list.UnmarshalJSON(inbox(1000)) != nil || json.Unmarshal(inbox(1000), &plain) != nil {
		b.Fatal("invalid inbox")
	}
	b.Run("impl=mesh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := list.MarshalJSON(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(plain); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// json.Marshal checks and copies MarshalJSON's result. The baseline does the same with
// encoded bytes.
func BenchmarkMarshalInbox(b *testing.B) {
	var list gateway.MessageList
	if err := list.UnmarshalJSON(inbox(1000)); err != nil {
		b.Fatal(err)
	}
	ready, err := list.MarshalJSON()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("impl=mesh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(list); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(json.RawMessage(ready)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
