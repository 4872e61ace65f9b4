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
}

func (a Answer) write(w http.ResponseWriter) {
	contentType := "application/json"
	if a.Body == nil {
		contentType = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
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
