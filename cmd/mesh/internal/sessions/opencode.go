package sessions

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// beginOpencode reads a message. The input excludes cache reads and writes, the output
// reasoning.
func beginOpencode(f *file) {
	l := &f.line
	reasoning := &l.counts[searches]
	f.fields = fields{
		"id": &l.id, "sessionID": &l.session, "role": &l.kind, "providerID": &l.provider, "modelID": &l.model, "path": fields{"cwd": &l.cwd},
		"tokens": fields{
			"input": &l.counts[input], "output": &l.counts[output], "reasoning": reasoning,
			"cache": fields{"read": &l.counts[reads], "write": &l.counts[writes]},
		},
		"time": fields{"created": func() { l.start = f.count() }},
		"error": func() {
			l.failed = f.Next() == jsonread.Object
			f.value()
		},
	}
	f.take = func() {
		if string(l.kind) != `"assistant"` || l.failed || l.counts.sum() == 0 {
			return
		}
		l.counts[output] += *reasoning
		*reasoning = 0
		if at := time.UnixMilli(l.start); l.start > 0 {
			l.time = at.UTC().AppendFormat(nil, `"`+time.RFC3339Nano+`"`)
		}
		of := form{program: "opencode", api: "anthropic", model: f.repeated(l.model), project: projectOf(f.repeated(l.cwd)), session: f.repeated(l.session), names: &anthropicNames}
		of.bill(f.repeated(l.provider))
		f.addMessage(of)
	}
}

// opencode's and pi's names
var platforms = map[string]prices.Platform{
	"amazon-bedrock": prices.PlatformBedrock, "azure": prices.PlatformAzure, "azure-openai-responses": prices.PlatformAzure,
	"google-vertex": prices.PlatformVertex, "google-vertex-anthropic": prices.PlatformVertex, "openrouter": prices.PlatformOpenRouter,
}

// bill sets who bills the call.
func (of *form) bill(provider string) {
	if platform := platforms[provider]; platform != "" {
		of.platform = string(platform)
		p, _ := models.ProviderOf(of.model)
		of.provider = string(p)
		return
	}
	of.provider = providerOf(provider)
}
