package testserver

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
)

// Answer is the usual answer of an operation.
type Answer struct {
	Status int
	Header http.Header // with canonical names; a Content-Type in it replaces the default
	Body   any         // written as JSON; a json.RawMessage is written unchanged
	Text   string      // written as plain text if Body is nil
	Events []string    // the parts of a streamed body, each flushed; Body and Text are then ignored
}

func (a Answer) write(w http.ResponseWriter) {
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
	// Writing fails only if the client has disconnected or the status does not allow a body.
	switch body := a.Body.(type) {
	case nil:
		_, _ = io.WriteString(w, a.Text)
	case json.RawMessage:
		_, _ = w.Write(body)
	default:
		_ = json.NewEncoder(w).Encode(body)
	}
}

// stream writes and flushes parts of a body until the client disconnects.
func stream(w http.ResponseWriter, parts []string) {
	for _, part := range parts {
		_, err := io.WriteString(w, part)
		if err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}
