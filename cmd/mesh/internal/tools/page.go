package tools

import (
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/client"
)

// maxResult is about how many characters of JSON a call returns: clients of the protocol cut or refuse more, and an agent pays for
// each.
const maxResult = 20_000

// part returns the items after the first skip ones, as many as fit into a result, and how many to skip for the others; 0 when nothing
// follows.
func part[T, U any](rows []T, skip int, shown func(T) U) (items []U, nextSkip int) {
	items = []U{}
	room := maxResult
	for i := max(skip, 0); i < len(rows); i++ {
		item := shown(rows[i])
		if room -= size(item); room < 0 && len(items) > 0 {
			return items, i
		}
		items = append(items, item)
	}
	return items, 0
}

// size returns the number of characters of a value in JSON.
func size(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		return maxResult
	}
	return utf8.RuneCount(text)
}

// fitting returns the number of bytes at the beginning of a text that have at most room characters in JSON.
func fitting(text string, room int) int {
	if len(text)*len(`\u0000`) <= room {
		return len(text)
	}
	for i, r := range text {
		if room -= size(string(r)) - len(`""`); room < 0 {
			return i
		}
	}
	return len(text)
}

// position is where the next page of messages begins: at a byte of the content of a message.
type position struct {
	NextID     int64 `json:"next_id,omitempty" jsonschema:"of the previous result, to continue"`
	NextOffset int   `json:"next_offset,omitempty" jsonschema:"of the previous result, to continue"`
}

// page returns the messages from a position on, as many as limit and a result allow. A content that is too long for a result of its
// own is cut, and the next page continues it. show returns a message without its content.
func page(messages []client.MeshMessage, from position, limit int, show func(client.MeshMessage) toolMessage) toolMessages {
	out := toolMessages{Notice: notice, Messages: []toolMessage{}}
	room := maxResult
	for i, m := range messages {
		offset := 0
		if m.ID == from.NextID {
			offset = min(max(from.NextOffset, 0), len(m.GetContent()))
		}
		shown := show(m)
		rest := m.GetContent()[offset:]
		room -= size(shown)
		end := fitting(rest, room)
		if i == limit || i > 0 && (room < 0 || end < len(rest)) {
			out.NextID = m.ID
			return out
		}
		shown.Content = rest[:end]
		out.Messages = append(out.Messages, shown)
		if end < len(rest) {
			out.NextID, out.NextOffset = m.ID, offset+end
			return out
		}
		room -= size(shown.Content)
	}
	return out
}

// oldestFirst sorts messages and returns those from a position on.
func oldestFirst(messages []client.MeshMessage, from position) []client.MeshMessage {
	slices.SortStableFunc(messages, func(a, b client.MeshMessage) int { return cmp.Compare(a.ID, b.ID) })
	return slices.DeleteFunc(messages, func(m client.MeshMessage) bool { return m.ID < from.NextID })
}

// newestFirst is [oldestFirst] in the other order.
func newestFirst(messages []client.MeshMessage, from position) []client.MeshMessage {
	slices.SortStableFunc(messages, func(a, b client.MeshMessage) int { return cmp.Compare(b.ID, a.ID) })
	return slices.DeleteFunc(messages, func(m client.MeshMessage) bool { return from.NextID != 0 && m.ID > from.NextID })
}
