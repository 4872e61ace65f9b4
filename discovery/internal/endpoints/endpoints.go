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
		e.api = fetched
	case method != "POST":
		e.api = free
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

var (
	free    = API{Free: true}
	fetched = API{Stored: true}
)

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
	{path: "chat/completions"},
	{path: "responses/compact"},
	{path: "responses/input_tokens", api: free},
	{path: "responses/", api: fetched}, // cancel, which returns the response
	{path: "responses"},
	{path: "messages/count_tokens", form: "anthropic", api: free},
	{path: "messages/batches", form: "anthropic", api: uncounted(batched)},
	{path: "messages/batches/", form: "anthropic", api: free}, // cancel
	{path: "threads/", form: "openai", api: uncounted("runs of assistants are not counted when they are created")},
	{path: "messages", form: "anthropic"},
	{provider: "anthropic", path: "complete", api: uncounted("text completions have no counts")},
	{path: "completions"},
	{path: "embeddings"},
	{path: ":generateContent", form: "gemini"},
	{path: ":streamGenerateContent", form: "gemini"},
	{path: ":embedContent", form: "gemini"},
	{path: ":batchEmbedContents", form: "gemini"},
	{path: ":generateAnswer", form: "gemini"},
	{path: ":countTokens", form: "gemini", api: free},
	{path: ":computeTokens", form: "gemini", api: free},
	{path: ":cancel", api: free},
	{path: ":batchGenerateContent", form: "gemini", api: uncounted(batched)},
	{path: ":asyncBatchEmbedContent", form: "gemini", api: uncounted(batched)},
	{provider: "gemini", path: ":predict", form: "gemini", api: uncounted(media)},
	{provider: "gemini", path: ":predictLongRunning", form: "gemini", api: uncounted(media)},
	{path: ":rawPredict", form: "anthropic"},
	{path: ":streamRawPredict", form: "anthropic"},
	{path: "model/*/converse", form: "converse"},
	{path: "model/*/converse-stream", form: "converse"},
	{path: "model/*/invoke", form: "invoke"},
	{path: "model/*/invoke-with-response-stream", form: "invoke"},
	{path: "v2/chat", form: "cohere"},
	{path: "api/chat", form: "ollama"},
	{path: "api/generate", form: "ollama"},
	{path: "api/embed", form: "ollama"},
	{path: "rerank"},
	{path: "moderations", api: free},
	{path: "interactions"},
	{path: "audio/speech", api: uncounted("speech has no counts")},
	{path: "audio/transcriptions"},
	{path: "audio/translations"},
	{provider: "openrouter", path: "images"},
	{path: "images/generations"},
	{path: "images/edits"},
	{path: "images/variations"},
	{path: "videos/generations", api: uncounted(videos)},
	{path: "videos", api: uncounted(videos)},
	{path: "videos/", api: uncounted(videos)},
	{path: "realtime/client_secrets", api: free},
	{path: "realtime/sessions", api: free},
	{path: "realtime/transcription_sessions", api: free},
	{path: "realtime/calls", api: uncounted("realtime sessions have no counts")},
	{provider: "xai", path: "batches", api: free}, // an empty batch; its requests follow
	{path: "batches", api: uncounted(batched)},
	{provider: "xai", path: "batches/", api: uncounted(batched)},
	{path: "batches/", api: free}, // cancel
	{path: "batchPredictionJobs", api: uncounted(batched)},
	{path: "async-invoke", api: uncounted("an asynchronous call is billed when it has run")},
	{provider: "bedrock", path: "guardrail/", api: uncounted("guardrails are billed by the length of the text")},
	{path: "cachedContents", api: uncounted("cached content is billed by the hour")},
	{path: "containers", api: uncounted("containers are billed by time")},
	{path: "containers/", api: free}, // files
	{path: "vector_stores", api: uncounted(stored)},
	{path: "vector_stores/", api: uncounted(stored)},
	{path: "fileSearchStores/", api: uncounted(stored)},
	{path: "fine_tuning/", api: uncounted("training is not counted in tokens of a response")},
	{path: "files", api: free},
	{path: "files/", api: free},
	{path: "uploads", api: free},
	{path: "uploads/", api: free},
	{path: "conversations", api: free},
	{path: "conversations/", api: free},
	{path: "chat/completions/", api: free}, // metadata of stored completions
	{path: "traces/", api: free},
	{path: "assistants", api: free},
	{path: "assistants/", api: free},
	{path: "organization/", api: free},
	{path: "skills", api: free},
	{provider: "anthropic", path: "api/eval/", api: free}, // what Claude Code reports, as the next one
	{provider: "anthropic", path: "api/event_logging/", api: free},
	{path: "tokenize-text", api: free},
	{path: "api/show", api: free}, // Ollama's, as the next one
	{path: "api/pull", api: free},
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
