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
	// Uncounted is why the responses have no counts although the endpoint costs money.
	Uncounted string
}

// Of returns the API of a request to a provider. The end of the path decides on the form, for every provider: DeepSeek has the APIs of
// OpenAI and Anthropic, and Gemini has the API of OpenAI beside its own.
func Of(provider, method, path string) API {
	path = strings.TrimSuffix(path, "/")
	switch {
	case method == "GET" && strings.Contains(path, "/responses/"):
		return API{Stored: true}
	case method != "POST":
		return API{Free: true}
	}
	if _, method, ok := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":"); ok && provider == "gemini" {
		return geminiAPI(method)
	}
	for _, e := range all {
		if (e.provider == "" || e.provider == provider) && HasSegments(path, e.path) {
			return e.api
		}
	}
	return API{}
}

// geminiAPI returns the API of a method, such as that of models/gemini-3.6-flash:generateContent.
func geminiAPI(method string) API {
	switch method {
	case "countTokens", "computeTokens", "cancel":
		return API{Free: true}
	case "batchGenerateContent", "asyncBatchEmbedContent":
		return uncounted(batched)
	case "predict", "predictLongRunning":
		return uncounted("images and videos of this endpoint are not billed in tokens")
	}
	return API{}
}

func uncounted(reason string) API { return API{Uncounted: reason} }

const (
	batched = "a batch is billed when it has run"
	stored  = "stored files are billed by size and time"
	videos  = "videos are not billed in tokens"
)

// endpoint is one or more segments at the end of a path, or in its middle where they end with a slash.
type endpoint struct {
	provider string
	path     string
	api      API
}

// all lists the endpoints that a POST may have, the more exact ones first.
var all = []endpoint{
	{"", "chat/completions", API{}},
	{"", "responses/compact", API{}},
	{"", "responses/input_tokens", API{Free: true}},
	{"", "responses/", API{Stored: true}}, // cancel, which returns the response
	{"", "responses", API{}},
	{"", "messages/count_tokens", API{Free: true}},
	{"", "messages/batches", uncounted(batched)},
	{"", "messages/batches/", API{Free: true}}, // cancel
	{"openai", "threads/", uncounted("runs of assistants are not counted when they are created")},
	{"", "messages", API{}},
	{"anthropic", "complete", uncounted("text completions have no counts")},
	{"", "completions", API{}},
	{"", "embeddings", API{}},
	{"", "moderations", API{Free: true}},
	{"", "interactions", API{}},
	{"", "audio/speech", uncounted("speech has no counts")},
	{"", "audio/transcriptions", API{}},
	{"", "audio/translations", API{}},
	{"", "images/generations", API{}},
	{"", "images/edits", API{}},
	{"", "images/variations", API{}},
	{"", "videos/generations", uncounted(videos)},
	{"", "videos", uncounted(videos)},
	{"", "videos/", uncounted(videos)},
	{"", "realtime/client_secrets", API{Free: true}},
	{"", "realtime/sessions", API{Free: true}},
	{"", "realtime/transcription_sessions", API{Free: true}},
	{"", "realtime/calls", uncounted("realtime sessions have no counts")},
	{"xai", "batches", API{Free: true}}, // an empty batch; its requests follow
	{"", "batches", uncounted(batched)},
	{"xai", "batches/", uncounted(batched)},
	{"", "batches/", API{Free: true}}, // cancel
	{"", "cachedContents", uncounted("cached content is billed by the hour")},
	{"", "containers", uncounted("containers are billed by time")},
	{"", "containers/", API{Free: true}}, // files
	{"", "vector_stores", uncounted(stored)},
	{"", "vector_stores/", uncounted(stored)},
	{"", "fileSearchStores/", uncounted(stored)},
	{"", "fine_tuning/", uncounted("training is not counted in tokens of a response")},
	{"", "files", API{Free: true}},
	{"", "files/", API{Free: true}},
	{"", "uploads", API{Free: true}},
	{"", "uploads/", API{Free: true}},
	{"", "conversations", API{Free: true}},
	{"", "conversations/", API{Free: true}},
	{"", "chat/completions/", API{Free: true}}, // metadata of stored completions
	{"", "traces/", API{Free: true}},
	{"", "organization/", API{Free: true}},
	{"", "skills", API{Free: true}},
	{"", "tokenize-text", API{Free: true}},
	{"", "api/show", API{Free: true}}, // Ollama's, as the next one
	{"", "api/pull", API{Free: true}},
}

// HasSegments reports whether a path ends with whole segments, or has them inside if they end with a slash.
func HasSegments(path, segments string) bool {
	if strings.HasSuffix(segments, "/") {
		return strings.Contains(path, "/"+segments)
	}
	return strings.HasSuffix(path, "/"+segments)
}

// CallsModel reports whether a request calls a model, judging by the paths that the providers' APIs have. Requests with other paths
// may be anything.
func CallsModel(method, path string) bool {
	if method != "POST" {
		return false
	}
	path = strings.TrimSuffix(path, "/")
	if GeminiForm(path) || hostedForm().MatchString(path) {
		return true
	}
	for _, e := range all {
		if HasSegments(path, e.path) {
			return !e.api.Free && !e.api.Stored
		}
	}
	return false
}

// hostedForm matches the paths of Bedrock, of Claude on Vertex, and of Cohere.
var hostedForm = expression(`/model/.+/(?:converse|converse-stream|invoke|invoke-with-response-stream)$|:(?:streamR|r)awPredict$|/v2/chat$`)

// GeminiForm reports whether a path has the form models/gemini-3.6-flash:generateContent.
func GeminiForm(path string) bool {
	return strings.HasSuffix(path, "enerateContent") || strings.HasSuffix(path, "mbedContent") || strings.HasSuffix(path, ":batchEmbedContents")
}

// Bills reports whether a provider bills a response with this status.
func Bills(status int) bool { return status >= 200 && status < 300 }
