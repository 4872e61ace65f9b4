package discoverytest

import (
	"embed"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

type object = map[string]any

func ok(body any) response { return response{Status: http.StatusOK, Body: body} }

func embedded[T any](file []byte) (value T) {
	if err := json.Unmarshal(file, &value); err != nil {
		panic(err)
	}
	return value
}

func readRows(list []byte) []json.RawMessage { return embedded[[]json.RawMessage](list) }

func field(row json.RawMessage, name string) string {
	var fields map[string]any
	_ = json.Unmarshal(row, &fields) // the rows are embedded
	text, _ := fields[name].(string)
	return text
}

// page returns at most size rows after the row whose field name is after, or from the
// start if after is "". It reports whether more rows follow, and whether after was found.
func page(rows []json.RawMessage, name, after string, size int) (cut []json.RawMessage, more, known bool) {
	begin := 0
	if after != "" {
		begin = 1 + slices.IndexFunc(rows, func(row json.RawMessage) bool { return field(row, name) == after })
		if begin == 0 {
			return nil, false, false
		}
	}
	end := min(begin+size, len(rows))
	return rows[begin:end], end < len(rows), true
}

// pageRows returns a page's size: the query's number or usual, and at most
// [WithPageSize].
func (s *Server) pageRows(query url.Values, name string, usual, most int) (rows int, valid bool) {
	rows = usual
	if query.Has(name) {
		var err error
		rows, err = strconv.Atoi(query.Get(name))
		if err != nil || rows < 1 || rows > most {
			return usual, false
		}
	}
	if s.pageSize > 0 {
		rows = min(rows, s.pageSize)
	}
	return rows, true
}

//go:embed templates
var templateFiles embed.FS

// templates holds response templates. Requests fill in the differences.
var templates = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{"json": encode, "ends": ends}
	return template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/*.tmpl"))
})

func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// ends returns a key's first and last characters, or just stars for a short key.
func ends(key string, first, last int) string {
	if len(key) <= first+last {
		return "***"
	}
	return key[:first] + "***" + key[len(key)-last:]
}

func fill(name string, data any) string {
	var text strings.Builder
	if err := templates().ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // templates are embedded, and data is valid
	}
	return text.String()
}

// Request is a recorded request. Keys are replaced by "[REDACTED]" everywhere, including
// the query and body.
type Request struct {
	// Operation is "" for an unknown path or method.
	Operation Operation
	Method    string
	// Path is relative to the service's base path. If Operation is "", it's the whole
	// path.
	Path  string
	Query url.Values
	// Header doesn't include the headers in Keys.
	Header http.Header
	// Keys maps Authorization (without "Bearer "), X-Api-Key and X-Goog-Api-Key to their
	// values.
	Keys map[string]discovery.Secret
	// QueryKeys maps query parameters to keys. Package discovery sends keys only in
	// headers, because URLs are logged.
	QueryKeys map[string]discovery.Secret
	Body      string
}

// Requests returns the recorded requests, oldest first, optionally only for some
// operations.
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

// keyParameters are query parameters for keys, without - and _.
var keyParameters = []string{"key", "apikey", "xapikey", "xgoogapikey", "token", "accesstoken", "authorization"}

// withoutQueryKeys removes parameters named like keys, and values that contain a known
// key.
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

// known returns the request's keys and all accepted keys, which may have been sent to the
// wrong service.
func (s *Server) known(keys map[string]discovery.Secret) []discovery.Secret {
	all := slices.Collect(maps.Values(keys))
	for _, key := range s.keys {
		if key.Reveal() != "" {
			all = append(all, key)
		}
	}
	return all
}

// long drops keys that are too short to search for: the key "m" would redact every m.
func long(keys []discovery.Secret) []discovery.Secret {
	return slices.DeleteFunc(slices.Clone(keys), func(k discovery.Secret) bool { return len(k.Reveal()) < 8 })
}
