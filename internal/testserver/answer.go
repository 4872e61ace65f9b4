package testserver

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
)

// Answer is what an operation wants to say.
type Answer struct {
	Status int
	Header http.Header // with canonical names; a Content-Type in it takes the place of the usual one
	Body   any         // written as JSON; a json.RawMessage goes out as it is, byte for byte
	Text   string      // written as plain text when Body is nil
}

func (a Answer) write(w http.ResponseWriter) {
	contentType := "application/json"
	if a.Body == nil {
		contentType = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	// Writing fails only when the client has gone, or the status has no body.
	switch body := a.Body.(type) {
	case nil:
		_, _ = io.WriteString(w, a.Text)
	case json.RawMessage:
		_, _ = w.Write(body)
	default:
		_ = json.NewEncoder(w).Encode(body)
	}
}
