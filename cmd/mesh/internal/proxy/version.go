package proxy

import (
	"regexp"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// versioned reports whether the paths of the APIs of a host are known to begin with /v1. Other hosts may have other paths.
func versioned(host string) bool {
	p, _ := meter.HostProvider(host)
	return p == models.OpenAI || p == models.Anthropic || p == models.XAI
}

// knownPath matches the paths of the APIs of OpenAI, Anthropic and xAI, with their version or without, or twice.
var knownPath = regexp.MustCompile(`^/+(?:v1/+){0,2}((?:api-key|assistants|audio|batches|chat|complete|completions|containers|` +
	`conversations|embedding-models|embeddings|evals|files|fine_tuning|image-generation-models|images|language-models|messages|` +
	`models|moderations|organization|organizations|realtime|responses|skills|threads|tokenize-text|uploads|vector_stores|` +
	`video-generation-models|videos)(?:/|$))`)

// withVersion returns the path of a known API with /v1 once. Some programs expect it in the base URL, and others add it.
func withVersion(path string) string { return knownPath.ReplaceAllString(path, "/v1/$1") }
