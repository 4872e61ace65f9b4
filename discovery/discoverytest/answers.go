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

// object is a JSON object of an answer.
type object = map[string]any

func ok(body any) answer { return answer{Status: http.StatusOK, Body: body} }

// embedded decodes a JSON file of this package.
func embedded[T any](file []byte) (value T) {
	if err := json.Unmarshal(file, &value); err != nil {
		panic(err)
	}
	return value
}

// readRows decodes an embedded list.
func readRows(list []byte) []json.RawMessage { return embedded[[]json.RawMessage](list) }

// field returns a string field of a row, or "".
func field(row json.RawMessage, name string) string {
	var fields map[string]any
	_ = json.Unmarshal(row, &fields) // the rows are embedded
	text, _ := fields[name].(string)
	return text
}

// page returns at most size rows after the row whose field is after, or from the start for "". It reports whether more rows
// follow, and whether such a row is known.
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

// pageRows returns the number of rows of a page for a query: usual if it has none, and never more than [WithPageSize].
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

// templates returns the responses as they are sent, with blanks for what differs between requests.
var templates = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{"json": encode, "ends": ends}
	return template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/*.tmpl"))
})

func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// ends returns the first and last characters of a key, or no character of a short one.
func ends(key string, first, last int) string {
	if len(key) <= first+last {
		return "***"
	}
	return key[:first] + "***" + key[len(key)-last:]
}

// fill returns the text of a template with data.
func fill(name string, data any) string {
	var text strings.Builder
	if err := templates().ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // the templates are embedded, and data is valid
	}
	return text.String()
}

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
