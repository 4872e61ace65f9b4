package discoverytest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Request is a request that arrived. Keys are replaced by "[REDACTED]" wherever they were, in the query and the body too.
type Request struct {
	// Operation is empty for an unknown path or method.
	Operation Operation
	Method    string
	// Path is the path below the base path of the service, or the whole path when Operation is empty.
	Path  string
	Query url.Values
	// Header does not include the headers in Keys.
	Header http.Header
	// Keys are the values of the headers Authorization (without a leading "Bearer "), X-Api-Key and X-Goog-Api-Key, by the
	// name of the header.
	Keys map[string]discovery.Secret
	// QueryKeys are the keys in the URL, by the name of the parameter. Package discovery sends none, since URLs are logged.
	QueryKeys map[string]discovery.Secret
	Body      string
}

// Requests returns the requests so far, oldest first: of the given operations, or of all.
func (s *Server) Requests(ops ...Operation) []Request { return s.site.Requests(ops...) }

func (s *Server) record(op Operation, r *http.Request, body []byte) Request {
	header, keys := withoutKeys(r.Header)
	known := s.known(keys)
	query, queryKeys := withoutQueryKeys(r.URL.Query(), known)
	redactor := secret.NewRedactor(long(append(known, slices.Collect(maps.Values(queryKeys))...))...)
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

func withoutKeys(h http.Header) (http.Header, map[string]discovery.Secret) {
	header, keys := h.Clone(), make(map[string]discovery.Secret)
	for _, name := range []string{authorization, xAPIKey, googleKey} {
		if header.Get(name) != "" {
			keys[name] = secret.New(strings.TrimPrefix(header.Get(name), "Bearer "))
		}
		header.Del(name)
	}
	return header, keys
}

// keyParameters are the names of query parameters with keys, without - and _.
var keyParameters = []string{"key", "apikey", "xapikey", "xgoogapikey", "token", "accesstoken", "authorization"}

// withoutQueryKeys removes keys from a query: parameters named after keys, and values that contain a known key.
func withoutQueryKeys(query url.Values, known []discovery.Secret) (url.Values, map[string]discovery.Secret) {
	redactor, clean, keys := secret.NewRedactor(long(known)...), make(url.Values), make(map[string]discovery.Secret)
	for name, texts := range query {
		shown := redactor.Redact(name)
		for _, text := range texts {
			if shown != name || namesKey(name) || redactor.Redact(text) != text || slices.Contains(known, secret.New(text)) {
				keys[shown] = secret.New(text)
				text = secret.Redacted
			}
			clean.Add(shown, text)
		}
	}
	return clean, keys
}

func namesKey(name string) bool {
	return slices.Contains(keyParameters, strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name)))
}

// known returns the keys of a request and those that the services accept, which may have been sent to the wrong service.
func (s *Server) known(keys map[string]discovery.Secret) []discovery.Secret {
	all := slices.Collect(maps.Values(keys))
	for _, key := range s.keys {
		if key.Reveal() != "" {
			all = append(all, key)
		}
	}
	return all
}

// long omits keys that are too short to be searched for in other texts: the key "m" would redact every m.
func long(keys []discovery.Secret) []discovery.Secret {
	return slices.DeleteFunc(slices.Clone(keys), func(k discovery.Secret) bool { return len(k.Reveal()) < 8 })
}
