package testserver

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
)

// Response is an operation's usual response.
type Response struct {
	Status int
	Header http.Header // canonical names; may replace the default Content-Type
	Body   any         // encoded as JSON; a json.RawMessage is sent unchanged
	Text   string      // sent as plain text if Body is nil
	Events []string    // parts of the body, each flushed as in a stream; replace Body and Text
}

func (a Response) write(w http.ResponseWriter) {
	contentType := "application/json"
	if a.Body == nil {
		contentType = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	if len(a.Events) > 0 {
		stream(w, a.Events)
		return
	}
	// fails only if the client has disconnected or the status allows no body
	switch body := a.Body.(type) {
	case nil:
		_, _ = io.WriteString(w, a.Text)
	case json.RawMessage:
		_, _ = w.Write(body)
	default:
		_ = json.NewEncoder(w).Encode(body)
	}
}

func stream(w http.ResponseWriter, parts []string) {
	for _, part := range parts {
		_, err := io.WriteString(w, part)
		if err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}
