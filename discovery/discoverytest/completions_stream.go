package discoverytest

import (
	"encoding/json"
	"net/http"
)

// stream returns a response of server-sent events.
func stream(events []string) answer {
	return answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Events: events}
}

// event returns a server-sent event with a name, or without one for "".
func event(name string, data object) string {
	text := "data: " + encode(data) + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	return text
}

// typed returns a server-sent event whose name is the type of its data.
func typed(data object) string {
	name, _ := data["type"].(string)
	return event(name, data)
}

func encode(data object) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // the only foreign part is the usage, which is valid
	}
	return string(text)
}

// without returns an object without some of its fields. Anything but an object is returned unchanged.
func without(usage json.RawMessage, names ...string) json.RawMessage {
	return edit(usage, func(fields map[string]json.RawMessage) {
		for _, name := range names {
			delete(fields, name)
		}
	})
}

// edit changes the fields of an object and leaves their values exact.
func edit(usage json.RawMessage, change func(map[string]json.RawMessage)) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(usage, &fields) != nil {
		return usage
	}
	change(fields)
	text, _ := json.Marshal(fields) // it was valid
	return text
}
