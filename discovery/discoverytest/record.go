package discoverytest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Secret prints, logs and marshals as "[REDACTED]"; Reveal is the only door.
type Secret = secret.Secret

// Request is a request that arrived, whatever became of it. Wherever it held a key, in a query or a body too, there is
// "[REDACTED]".
type Request struct {
	// Operation is empty for a path or method that no service has.
	Operation Operation
	Method    string
	// Path is without the base path of the service; it is whole where Operation is empty.
	Path  string
	Query url.Values
	// Header is without the headers of Keys.
	Header http.Header
	// Keys are what came in the headers Authorization (without a leading "Bearer "), X-Api-Key and X-Goog-Api-Key, by the
	// name of the header.
	Keys map[string]Secret
	// QueryKeys are the keys that came in the URL, by the name of the parameter. A good client sends none: URLs are logged.
	QueryKeys map[string]Secret
	Body      string
}

// Requests returns what has arrived so far, oldest first: everything, or the given operations alone.
func (s *Server) Requests(ops ...Operation) []Request { return s.site.Requests(ops...) }

func (s *Server) record(op Operation, r *http.Request, body []byte) Request {
	header, keys := withoutKeys(r.Header)
	known := s.known(keys)
	query, queryKeys := withoutQueryKeys(r.URL.Query(), known)
	redactor := secret.NewRedactor(long(append(known, values(queryKeys)...))...)
	for _, texts := range header {
		for i := range texts {
			texts[i] = redactor.Redact(texts[i])
		}
	}
	return Request{
		Operation: op,
		Method:    r.Method,
		Path:      redactor.Redact(r.URL.Path),
		Query:     query,
		Header:    header,
		Keys:      keys,
		QueryKeys: queryKeys,
		Body:      redactor.Redact(string(body)),
	}
}

// keyHeaders are where keys travel.
var keyHeaders = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"}

func withoutKeys(h http.Header) (http.Header, map[string]Secret) {
	header, keys := h.Clone(), make(map[string]Secret)
	for _, name := range keyHeaders {
		if header.Get(name) != "" {
			keys[name] = secret.New(strings.TrimPrefix(header.Get(name), "Bearer "))
		}
		header.Del(name)
	}
	return header, keys
}

// keyParameters are the query parameters that hold a key by their name, without - and _.
var keyParameters = []string{"key", "apikey", "xapikey", "xgoogapikey", "token", "accesstoken", "authorization"}

// withoutQueryKeys takes keys out of a query: what is called one, and what is or holds one of the known ones.
func withoutQueryKeys(query url.Values, known []Secret) (url.Values, map[string]Secret) {
	redactor, clean, keys := secret.NewRedactor(long(known)...), make(url.Values), make(map[string]Secret)
	for name, texts := range query {
		shown := redactor.Redact(name)
		for _, text := range texts {
			if shown != name || calledKey(name) || redactor.Redact(text) != text || slices.ContainsFunc(known, is(text)) {
				keys[shown] = secret.New(text)
				text = secret.Redacted
			}
			clean.Add(shown, text)
		}
	}
	return clean, keys
}

func calledKey(name string) bool {
	return slices.Contains(keyParameters, strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name)))
}

func is(text string) func(Secret) bool {
	return func(key Secret) bool { return key.Reveal() == text }
}

// known returns the keys of a request and those that the services accept: one of them may have gone astray.
func (s *Server) known(keys map[string]Secret) []Secret {
	all := values(keys)
	for _, service := range services {
		if key := s.keys[service]; key.Reveal() != "" {
			all = append(all, key)
		}
	}
	return all
}

func values(keys map[string]Secret) []Secret {
	all := make([]Secret, 0, len(keys))
	for _, key := range keys {
		all = append(all, key)
	}
	return all
}

// long leaves out keys that are too short to be looked for within other texts: the key "m" of a test would take the m out
// of every path.
func long(keys []Secret) []Secret {
	return slices.DeleteFunc(slices.Clone(keys), func(k Secret) bool { return len(k.Reveal()) < 8 })
}
