// Package endpoints knows how the responses of the endpoints of model providers are counted. It needs no net/http, so that calls
// files can be read without it.
package endpoints

import "strings"

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
		e.api = API{Stored: true}
	case method != "POST":
		e.api = API{Free: true}
	}
	return e
}

// find returns the first row of a path.
func find(provider, path string) endpoint {
	for _, e := range all {
		if (e.provider == "" || e.provider == provider) && HasSegments(path, e.path) {
			return e
		}
	}
	return endpoint{api: API{Unknown: true}}
}

func uncounted(reason string) API { return API{Uncounted: reason} }

const (
	batched = "a batch is billed when it has run"
	stored  = "stored files are billed by size and time"
	videos  = "videos are not billed in tokens"
	media   = "images and videos of this endpoint are not billed in tokens"
)

// endpoint is one or more segments at the end of a path, or in its middle where they end with a slash; the method behind a colon; or
// what is before and behind an asterisk.
type endpoint struct {
	provider string
	path     string
	form     string // of the bodies, if it is not that of the host
	api      API
}

// all lists the endpoints that a POST may have on any host, the more exact ones first.
var all = []endpoint{
	{"", "chat/completions", "", API{}},
	{"", "responses/compact", "", API{}},
	{"", "responses/input_tokens", "", API{Free: true}},
	{"", "responses/", "", API{Stored: true}}, // cancel, which returns the response
	{"", "responses", "", API{}},
	{"", "messages/count_tokens", "anthropic", API{Free: true}},
	{"", "messages/batches", "anthropic", uncounted(batched)},
	{"", "messages/batches/", "anthropic", API{Free: true}}, // cancel
	{"", "threads/", "openai", uncounted("runs of assistants are not counted when they are created")},
	{"", "messages", "anthropic", API{}},
	{"anthropic", "complete", "", uncounted("text completions have no counts")},
	{"", "completions", "", API{}},
	{"", "embeddings", "", API{}},
	{"", ":generateContent", "gemini", API{}},
	{"", ":streamGenerateContent", "gemini", API{}},
	{"", ":embedContent", "gemini", API{}},
	{"", ":batchEmbedContents", "gemini", API{}},
	{"", ":generateAnswer", "gemini", API{}},
	{"", ":countTokens", "gemini", API{Free: true}},
	{"", ":computeTokens", "gemini", API{Free: true}},
	{"", ":cancel", "", API{Free: true}},
	{"", ":batchGenerateContent", "gemini", uncounted(batched)},
	{"", ":asyncBatchEmbedContent", "gemini", uncounted(batched)},
	{"gemini", ":predict", "gemini", uncounted(media)},
	{"gemini", ":predictLongRunning", "gemini", uncounted(media)},
	{"", ":rawPredict", "anthropic", API{}},
	{"", ":streamRawPredict", "anthropic", API{}},
	{"", "model/*/converse", "converse", API{}},
	{"", "model/*/converse-stream", "converse", API{}},
	{"", "model/*/invoke", "invoke", API{}},
	{"", "model/*/invoke-with-response-stream", "invoke", API{}},
	{"", "v2/chat", "cohere", API{}},
	{"", "api/chat", "ollama", API{}},
	{"", "api/generate", "ollama", API{}},
	{"", "api/embed", "ollama", API{}},
	{"", "rerank", "", API{}},
	{"", "moderations", "", API{Free: true}},
	{"", "interactions", "", API{}},
	{"", "audio/speech", "", uncounted("speech has no counts")},
	{"", "audio/transcriptions", "", API{}},
	{"", "audio/translations", "", API{}},
	{"openrouter", "images", "", API{}},
	{"", "images/generations", "", API{}},
	{"", "images/edits", "", API{}},
	{"", "images/variations", "", API{}},
	{"", "videos/generations", "", uncounted(videos)},
	{"", "videos", "", uncounted(videos)},
	{"", "videos/", "", uncounted(videos)},
	{"", "realtime/client_secrets", "", API{Free: true}},
	{"", "realtime/sessions", "", API{Free: true}},
	{"", "realtime/transcription_sessions", "", API{Free: true}},
	{"", "realtime/calls", "", uncounted("realtime sessions have no counts")},
	{"xai", "batches", "", API{Free: true}}, // an empty batch; its requests follow
	{"", "batches", "", uncounted(batched)},
	{"xai", "batches/", "", uncounted(batched)},
	{"", "batches/", "", API{Free: true}}, // cancel
	{"", "batchPredictionJobs", "", uncounted(batched)},
	{"", "async-invoke", "", uncounted("an asynchronous call is billed when it has run")},
	{"bedrock", "guardrail/", "", uncounted("guardrails are billed by the length of the text")},
	{"", "cachedContents", "", uncounted("cached content is billed by the hour")},
	{"", "containers", "", uncounted("containers are billed by time")},
	{"", "containers/", "", API{Free: true}}, // files
	{"", "vector_stores", "", uncounted(stored)},
	{"", "vector_stores/", "", uncounted(stored)},
	{"", "fileSearchStores/", "", uncounted(stored)},
	{"", "fine_tuning/", "", uncounted("training is not counted in tokens of a response")},
	{"", "files", "", API{Free: true}},
	{"", "files/", "", API{Free: true}},
	{"", "uploads", "", API{Free: true}},
	{"", "uploads/", "", API{Free: true}},
	{"", "conversations", "", API{Free: true}},
	{"", "conversations/", "", API{Free: true}},
	{"", "chat/completions/", "", API{Free: true}}, // metadata of stored completions
	{"", "traces/", "", API{Free: true}},
	{"", "assistants", "", API{Free: true}},
	{"", "assistants/", "", API{Free: true}},
	{"", "organization/", "", API{Free: true}},
	{"", "skills", "", API{Free: true}},
	{"anthropic", "api/eval/", "", API{Free: true}}, // what Claude Code reports, as the next one
	{"anthropic", "api/event_logging/", "", API{Free: true}},
	{"", "tokenize-text", "", API{Free: true}},
	{"", "api/show", "", API{Free: true}}, // Ollama's, as the next one
	{"", "api/pull", "", API{Free: true}},
}

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
