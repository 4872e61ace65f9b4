// Package endpoints knows how the responses of the endpoints of model providers are counted. It needs no net/http, so that calls
// files can be read without it.
package endpoints

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"net/url"
	"strings"
	"sync"
)

// The platforms that have models of several developers. The names are those of package prices.
const (
	OpenRouter = "openrouter"
	Bedrock    = "bedrock"
	Vertex     = "vertex"
	Azure      = "azure"
)

// Endpoint is what is known of a host.
type Endpoint struct {
	// Form is the form of its bodies; "" if the path decides.
	Form string
	// Provider is the provider of the prices; "" if the model decides.
	Provider string
	// Platform is who bills the calls, and Region the location of the host; both are "" for a provider's own API.
	Platform, Region string
	// Subscription reports whether the host takes the calls of a login, which are not charged. Its other paths are those of a website.
	Subscription bool
}

// Target is what a request is for.
type Target struct {
	Endpoint
	API
	// ID is the id of the model in the path, as it was sent but not escaped; "" if the body names the model.
	ID string
	// Publisher is the developer in a path of Vertex.
	Publisher string
	// Stream reports whether the path is for streams only.
	Stream bool
}

// Target returns what a request to a path of the host is for.
func (e Endpoint) Target(method, path string) Target {
	path = strings.TrimSuffix(path, "/")
	t := Target{Endpoint: e}
	switch e.Platform {
	case Bedrock:
		t.bedrock(method, path)
	case Vertex:
		t.vertex(method, path)
	case Azure:
		t.azure(method, path)
	case OpenRouter:
		t.shared(method, path)
	default:
		t.own(method, path)
		if e.Subscription && (t.Unknown || !Subscribed(path)) {
			t.API = free
		}
	}
	return t
}

// Counts reports whether the counts in a response to a call are all that it is billed by. A path or a status that is not known, "" or 0, is
// taken to have counts.
func (e Endpoint) Counts(path string, status int) bool {
	return (status == 0 || Bills(status)) && (path == "" || e.Target("POST", path).Uncounted == "")
}

// own is the path of a provider's own API, or of a host that has its form. Many hosts with the API of OpenAI have other APIs beside it,
// as Ollama and gateways.
func (t *Target) own(method, path string) {
	e := of(t.Form, method, path)
	if t.API = e.api; t.Form == "openai" {
		t.Form = cmp.Or(e.form, t.Form)
	}
	t.Stream = strings.HasSuffix(path, ":streamGenerateContent")
	if t.Form == "gemini" {
		t.ID = modelIn(path)
	}
}

// Subscribed reports whether a path of ChatGPT can be the path of a call.
func Subscribed(path string) bool { return strings.HasPrefix(path, "/backend-api/") }

// modelIn returns the model in a path of Gemini, such as /v1beta/models/gemini-3.6-flash:generateContent.
func modelIn(path string) string {
	_, rest, ok := strings.Cut(path, "/models/")
	if !ok {
		return ""
	}
	model, _, _ := strings.Cut(rest, ":")
	model, _, _ = strings.Cut(model, "/")
	return model
}

// shared is a path that several platforms have alike.
func (t *Target) shared(method, path string) {
	e := of(cmp.Or(t.Platform, "openai"), method, path)
	t.API, t.Form = e.api, cmp.Or(e.form, t.Form, "openai")
}

// azure is a path of Azure OpenAI or Foundry.
func (t *Target) azure(method, path string) {
	t.shared(method, path)
	if _, rest, ok := strings.Cut(path, "/deployments/"); ok {
		t.ID, _, _ = strings.Cut(rest, "/")
	}
}

// vertex is a path of Vertex. In the express mode it has no project and no location.
func (t *Target) vertex(method, path string) {
	if _, rest, ok := strings.Cut(path, "/locations/"); ok {
		t.Region, _, _ = strings.Cut(rest, "/")
	}
	_, rest, published := strings.Cut(path, "/publishers/")
	resource, action, acts := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	switch {
	case method != "POST":
		t.API = free
	case published && acts:
		t.Publisher, _, _ = strings.Cut(rest, "/")
		t.ID = modelIn(path)
		t.Stream = strings.HasPrefix(action, "stream")
		t.API = vertexAPI(resource, action)
	case strings.Contains(path, "/endpoints/") && acts: // the model of an endpoint of one's own is not known
		t.API, t.Stream = vertexAPI(resource, action), strings.HasPrefix(action, "stream")
	default: // endpoints/openapi/chat/completions among them
		t.shared(method, path)
	}
	switch {
	case t.Publisher == "anthropic":
		t.Form = "anthropic"
	case t.Publisher == "google" || (t.Form == "" && acts):
		t.Form = "gemini"
	case t.Form == "":
		t.Form = "openai"
	}
}

// vertexAPI returns the API of a method of a model, such as gemini-2.5-flash:predict, which returns embeddings.
func vertexAPI(model, method string) API {
	switch {
	case model == "count-tokens": // Claude's, count-tokens:rawPredict
		return free
	case method == "predict":
		return API{}
	case strings.HasPrefix(method, "fetch"):
		return free
	}
	return find("gemini", ":"+method).api
}

// bedrock is a path of Bedrock's runtime, or of its APIs that are compatible with others.
func (t *Target) bedrock(method, path string) {
	_, rest, invokes := strings.Cut(path, "/model/")
	end := strings.LastIndexByte(rest, '/')
	if !invokes || end < 0 {
		t.shared(method, path)
		return
	}
	t.ID = unescaped(rest[:end])
	switch action := rest[end+1:]; action {
	case "converse", "converse-stream":
		t.Form, t.Stream = "converse", action != "converse"
	case "invoke", "invoke-with-response-stream":
		t.Form, t.Stream = "invoke", action != "invoke"
	case "invoke-with-bidirectional-stream":
		t.Form, t.API = "invoke", API{Uncounted: "speech has no counts"}
	default: // count-tokens
		t.API = free
	}
	if method != "POST" {
		t.API = free
	}
}

// unescaped returns an id that was escaped twice: an SDK escapes the colon of an id, and another library the percent sign.
func unescaped(id string) string {
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// PriceRegion returns the region that prices a call, as far as host and path show it. In the APIs of Bedrock that are compatible with
// others it is not known whether an id without a prefix is one of the region of the host.
func PriceRegion(platform, region, path string) string {
	if platform == Bedrock && !strings.Contains(path, "/model/") {
		return ""
	}
	return region
}

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
