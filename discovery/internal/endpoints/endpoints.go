// Package endpoints knows how the responses of the endpoints of model providers are counted. It needs no net/http, so that calls
// files can be read without it.
package endpoints

import (
	_ "embed" // for endpoints.csv
	"encoding/csv"
	"strings"
	"sync"
)

// API is how the responses of an endpoint are counted.
type API struct {
	// Free endpoints have no record.
	Free bool
	// Stored endpoints return responses that may have been counted before.
	Stored bool
	// Unknown endpoints are in no row. Their responses decide: one with a model or counts is a call.
	Unknown bool
	// Uncounted is why the responses have no counts although the endpoint costs money.
	Uncounted string
}

// of returns the row and the API of a request. The end of the path decides, for every host: DeepSeek has the APIs of OpenAI and
// Anthropic, and Gemini has the API of OpenAI beside its own.
func of(provider, method, path string) endpoint {
	path = strings.TrimSuffix(path, "/")
	e := find(provider, path)
	switch {
	case method == "GET" && strings.Contains(path, "/responses/"):
		e.api = fetched
	case method != "POST":
		e.api = free
	}
	return e
}

// find returns the first row of a path.
func find(provider, path string) endpoint {
	for _, e := range all() {
		if (e.provider == "" || e.provider == provider) && HasSegments(path, e.path) {
			return e
		}
	}
	return endpoint{api: API{Unknown: true}}
}

var (
	free    = API{Free: true}
	fetched = API{Stored: true}
)

// endpoint is a row of endpoints.csv.
type endpoint struct {
	path, provider, form string
	api                  API
}

//go:embed endpoints.csv
var table string

// all returns the endpoints that a POST may have on any host, the more exact ones first.
var all = sync.OnceValue(func() []endpoint {
	r := csv.NewReader(strings.NewReader(table))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err) // the table is part of the package
	}
	list := make([]endpoint, len(rows)-1)
	for i, row := range rows[1:] {
		list[i] = endpoint{path: row[0], provider: row[1], form: row[2], api: API{Free: row[3] == "free", Stored: row[3] == "stored", Uncounted: row[4]}}
	}
	return list
})

// HasSegments reports whether a path has the segments of an endpoint.
func HasSegments(path, segments string) bool {
	if before, end, ok := strings.Cut(segments, "*"); ok {
		return strings.Contains(path, "/"+before) && strings.HasSuffix(path, end)
	}
	switch {
	case segments[0] == ':':
		return strings.HasSuffix(path, segments)
	case strings.HasSuffix(segments, "/"):
		return strings.Contains(path, "/"+segments)
	}
	return strings.HasSuffix(path, "/"+segments)
}

// Model returns the form of the bodies of a request to a host that is not known, and reports whether it calls a model.
func Model(method, path string) (form string, calls bool) {
	e := of("openai", method, path)
	return e.form, !e.api.Free && !e.api.Stored && !e.api.Unknown
}

// Bills reports whether a provider bills a response with this status.
func Bills(status int) bool { return status >= 200 && status < 300 }
