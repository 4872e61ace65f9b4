package calls

import (
	"encoding/json"
	"os"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Redacted returns the record without credentials, which package scan replaces, also by its extended rules: a path may have one, and a
// provider may repeat one as the model, the id or the name of a count. An ID with a credential becomes "", since other calls could have the
// same one, and a usage object that is no JSON without it becomes nil. A Meter and a Log do so with each record.
func (r Record) Redacted() Record {
	scanner := scan.New(scan.WithExtendedRules(), scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN")))
	redact := func(text string) string {
		if _, found := scanner.Find(text); !found { // Redact takes longer
			return text
		}
		return scanner.Redact(text)
	}
	r.Provider = models.Provider(redact(string(r.Provider)))
	for _, text := range [...]*string{
		&r.Model, &r.API, &r.Platform, &r.Region, &r.Profile, &r.Requested, &r.Upstream, &r.ModelStage, &r.RetirementDate, &r.Mode, &r.Path,
		&r.USD, &r.BoundUSD, &r.UpstreamUSD, &r.Billing, &r.Source, &r.Unpriced,
	} {
		*text = redact(*text)
	}
	if redact(r.ID) != r.ID {
		r.ID = ""
	}
	if usage := redact(string(r.Usage)); usage != string(r.Usage) {
		r.Usage = json.RawMessage(usage)
		if !json.Valid(r.Usage) {
			r.Usage = nil
		}
	}
	r.Requests = redacted(r.Requests, redact, func(n int64) int64 { return n })
	r.Labels = redacted(r.Labels, redact, redact)
	return r
}

// redacted returns a map with redacted names and values, which is the same map if nothing changes.
func redacted[V comparable](m map[string]V, name func(string) string, value func(V) V) map[string]V {
	changed := false
	for k, v := range m {
		changed = changed || name(k) != k || value(v) != v
	}
	if !changed {
		return m
	}
	clean := make(map[string]V, len(m))
	for k, v := range m {
		clean[name(k)] = value(v)
	}
	return clean
}
