// Package endpoints tells how responses from model providers' endpoints are counted. It
// doesn't need net/http, so that calls files can be read without it.
package endpoints

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"net/url"
	"strings"
	"sync"
)

// Platforms that serve models from several developers, named as in package prices.
const (
	OpenRouter = "openrouter"
	Bedrock    = "bedrock"
	Vertex     = "vertex"
	Azure      = "azure"
)

// Endpoint describes a host.
type Endpoint struct {
	// Form is the form of bodies, or "" if the path decides.
	Form string
	// Provider is the provider whose prices apply, or "" if the model decides.
	Provider string
	// Platform bills the calls, and Region is the host's location. Both are "" for a
	// provider's own API.
	Platform, Region string
	// Subscription means that the host takes calls from a login, which aren't charged.
	// Its other paths belong to a website.
	Subscription bool
}

// Target describes a request.
type Target struct {
	Endpoint
	API
	// ID is the model id in the path, unescaped. It's "" if the body names the model.
	ID string
	// Publisher is the developer in a Vertex path.
	Publisher string
	// Stream reports that the path is only for streams.
	Stream bool
}

// Target describes a request to a path of the host.
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

// Counts reports whether a call is billed only by the counts in its response. An unknown
// path ("") or status (0) is assumed to have counts.
func (e Endpoint) Counts(path string, status int) bool {
	return (status == 0 || Bills(status)) && (path == "" || e.Target("POST", path).Uncounted == "")
}

// own handles a provider's own API, or a host with the same form. Many hosts with
// OpenAI's API also have other APIs, for example Ollama and gateways.
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

// Subscribed reports whether a ChatGPT path can be a call.
func Subscribed(path string) bool { return strings.HasPrefix(path, "/backend-api/") }

// modelIn returns the model in a Gemini path, such as
// /v1beta/models/gemini-3.6-flash:generateContent.
func modelIn(path string) string {
	_, rest, ok := strings.Cut(path, "/models/")
	if !ok {
		return ""
	}
	model, _, _ := strings.Cut(rest, ":")
	model, _, _ = strings.Cut(model, "/")
	return model
}

// shared handles paths that are alike on several platforms.
func (t *Target) shared(method, path string) {
	e := of(cmp.Or(t.Platform, "openai"), method, path)
	t.API, t.Form = e.api, cmp.Or(e.form, t.Form, "openai")
}

func (t *Target) azure(method, path string) {
	t.shared(method, path)
	if _, rest, ok := strings.Cut(path, "/deployments/"); ok {
		t.ID, _, _ = strings.Cut(rest, "/")
	}
}

// vertex handles Vertex. In express mode, a path has no project and location.
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
	case strings.Contains(path, "/endpoints/") && acts: // a private endpoint's model is unknown
		t.API, t.Stream = vertexAPI(resource, action), strings.HasPrefix(action, "stream")
	default: // includes endpoints/openapi/chat/completions
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

// vertexAPI returns the API for a model's method. For example, gemini-2.5-flash:predict
// returns embeddings.
func vertexAPI(model, method string) API {
	switch {
	case model == "count-tokens": // Claude's count-tokens:rawPredict
		return free
	case method == "predict":
		return API{}
	case strings.HasPrefix(method, "fetch"):
		return free
	}
	return find("gemini", ":"+method).api
}

// bedrock handles Bedrock's runtime, and its APIs that are compatible with others.
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

// unescaped decodes an id that was escaped twice: an SDK escapes its colon, and another
// library the percent sign.
func unescaped(id string) string {
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// PriceRegion returns the region that prices a call, if host and path show it. In
// Bedrock's compatible APIs, an id without a prefix may not belong to the host's region.
func PriceRegion(platform, region, path string) string {
	if platform == Bedrock && !strings.Contains(path, "/model/") {
		return ""
	}
	return region
}

// API tells how an endpoint's responses are counted.
type API struct {
	// Free endpoints aren't recorded.
	Free bool
	// Stored endpoints return responses that may have been counted before.
	Stored bool
	// Unknown endpoints aren't in the table. A response with a model or counts is a call.
	Unknown bool
	// Uncounted is the reason if responses have no counts although the endpoint costs
	// money.
	Uncounted string
}

// of returns the row for a request. For every host, the end of the path decides: DeepSeek
// has OpenAI's and Anthropic's APIs, and Gemini has OpenAI's in addition to its own.
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

// endpoint is a row in endpoints.csv.
type endpoint struct {
	path, provider, form string
	api                  API
}

//go:embed endpoints.csv
var table string

// all returns the endpoints that a POST may have on any host, more specific ones first.
var all = sync.OnceValue(func() []endpoint {
	r := csv.NewReader(strings.NewReader(table))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err) // the table is embedded
	}
	list := make([]endpoint, len(rows)-1)
	for i, row := range rows[1:] {
		list[i] = endpoint{path: row[0], provider: row[1], form: row[2], api: API{Free: row[3] == "free", Stored: row[3] == "stored", Uncounted: row[4]}}
	}
	return list
})

// HasSegments reports whether a path ends in an endpoint's segments, or contains them.
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

// Model returns the form of request bodies for an unknown host, and reports whether the
// request calls a model.
func Model(method, path string) (form string, calls bool) {
	e := of("openai", method, path)
	return e.form, !e.api.Free && !e.api.Stored && !e.api.Unknown
}

// Bills reports whether a provider bills a response with this status.
func Bills(status int) bool { return status >= 200 && status < 300 }
