package meter

import (
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// api is how the responses of an endpoint are counted.
type api struct {
	// free endpoints have no record.
	free bool
	// stored endpoints return responses that may have been counted before.
	stored bool
	// uncounted is why the responses have no counts although the endpoint costs money.
	uncounted string
}

// apiOf returns the API of a request. The end of the path decides on the form, for every provider: DeepSeek has the APIs of
// OpenAI and of Anthropic, Gemini that of OpenAI beside its own.
func apiOf(p discovery.Provider, method, path string) api {
	path = strings.TrimSuffix(path, "/")
	switch {
	case method == http.MethodGet && strings.Contains(path, "/responses/"):
		return api{stored: true}
	case method != http.MethodPost:
		return api{free: true}
	}
	if _, method, ok := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":"); ok && p == discovery.Gemini {
		return geminiAPI(method)
	}
	for _, e := range endpoints {
		if (e.provider == "" || e.provider == p) && hasSegments(path, e.path) {
			return e.api
		}
	}
	return api{}
}

// geminiAPI returns the API of a method, such as that of models/gemini-3.6-flash:generateContent.
func geminiAPI(method string) api {
	switch method {
	case "countTokens", "computeTokens", "cancel":
		return api{free: true}
	case "batchGenerateContent", "asyncBatchEmbedContent":
		return uncounted(batched)
	case "predict", "predictLongRunning":
		return uncounted("images and videos of this endpoint are not billed in tokens")
	}
	return api{}
}

func uncounted(reason string) api { return api{uncounted: reason} }

const (
	batched = "a batch is billed when it has run"
	stored  = "stored files are billed by size and time"
	videos  = "videos are not billed in tokens"

	webSockets = "what is sent over a WebSocket is not counted"
)

// endpoint is one or more segments at the end of a path, or in its middle where they end with a slash.
type endpoint struct {
	provider discovery.Provider
	path     string
	api      api
}

// endpoints lists the endpoints that a POST may have, the more exact ones first.
var endpoints = []endpoint{
	{"", "chat/completions", api{}},
	{"", "responses/compact", api{}},
	{"", "responses/input_tokens", api{free: true}},
	{"", "responses/", api{stored: true}}, // cancel, which returns the response
	{"", "responses", api{}},
	{"", "messages/count_tokens", api{free: true}},
	{"", "messages/batches", uncounted(batched)},
	{"", "messages/batches/", api{free: true}}, // cancel
	{discovery.OpenAI, "threads/", uncounted("runs of assistants are not counted when they are created")},
	{"", "messages", api{}},
	{discovery.Anthropic, "complete", uncounted("text completions have no counts")},
	{"", "completions", api{}},
	{"", "embeddings", api{}},
	{"", "moderations", api{free: true}},
	{"", "interactions", api{}},
	{"", "audio/speech", uncounted("speech has no counts")},
	{"", "audio/transcriptions", api{}},
	{"", "audio/translations", api{}},
	{"", "images/generations", api{}},
	{"", "images/edits", api{}},
	{"", "images/variations", api{}},
	{"", "videos/generations", uncounted(videos)},
	{"", "videos", uncounted(videos)},
	{"", "videos/", uncounted(videos)},
	{"", "realtime/client_secrets", api{free: true}},
	{"", "realtime/sessions", api{free: true}},
	{"", "realtime/transcription_sessions", api{free: true}},
	{"", "realtime/calls", uncounted("realtime sessions have no counts")},
	{discovery.XAI, "batches", api{free: true}}, // an empty batch; its requests follow
	{"", "batches", uncounted(batched)},
	{discovery.XAI, "batches/", uncounted(batched)},
	{"", "batches/", api{free: true}}, // cancel
	{"", "cachedContents", uncounted("cached content is billed by the hour")},
	{"", "containers", uncounted("containers are billed by time")},
	{"", "containers/", api{free: true}}, // files
	{"", "vector_stores", uncounted(stored)},
	{"", "vector_stores/", uncounted(stored)},
	{"", "fileSearchStores/", uncounted(stored)},
	{"", "fine_tuning/", uncounted("training is not counted in tokens of a response")},
	{"", "files", api{free: true}},
	{"", "files/", api{free: true}},
	{"", "uploads", api{free: true}},
	{"", "uploads/", api{free: true}},
	{"", "conversations", api{free: true}},
	{"", "conversations/", api{free: true}},
	{"", "chat/completions/", api{free: true}}, // metadata of stored completions
	{"", "traces/", api{free: true}},
	{"", "organization/", api{free: true}},
	{"", "skills", api{free: true}},
	{"", "tokenize-text", api{free: true}},
}

// hasSegments reports whether a path ends with whole segments, or has them inside if they end with a slash.
func hasSegments(path, segments string) bool {
	if strings.HasSuffix(segments, "/") {
		return strings.Contains(path, "/"+segments)
	}
	return strings.HasSuffix(path, "/"+segments)
}
