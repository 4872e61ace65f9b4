package calls

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"sync/atomic"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Redacted returns the record without credentials: a path may contain one, and a provider
// may echo one as a model, an id or a count's name. Package scan's extended rules find
// them. [Log] and meter.Meter redact every record. Use it before you store records that
// you made yourself.
//
// An ID with a credential becomes "", because other calls could get the same redacted ID.
// Usage becomes nil if redacting makes it invalid JSON. Strings longer than 1 KiB are
// cut, except for ID, which becomes "".
func (r Record) Redacted() Record {
	scanner := redactor(os.Getenv("MESH_GATEWAY_TOKEN"))
	redact := func(text string) string {
		if _, found := scanner.Find(text); !found { // Redact is slower
			return text
		}
		return scanner.Redact(text)
	}
	shorten := func(text string) string { return argument.Cut(redact(text), argument.MaxText) }
	r.Provider = models.Provider(shorten(string(r.Provider)))
	for _, text := range [...]*string{
		&r.Model, &r.API, &r.Platform, &r.Region, &r.Profile, &r.Requested, &r.Upstream, &r.ModelStage, &r.RetirementDate, &r.Mode, &r.Path,
		&r.Billing, &r.SourceKey, &r.Unpriced,
	} {
		*text = shorten(*text)
	}
	for _, amount := range [...]*prices.USD{&r.USD, &r.BoundUSD, &r.UpstreamUSD} { // never cut: a shorter number is a different amount
		*amount = prices.USD(redact(string(*amount)))
	}
	if shorten(r.ID) != r.ID {
		r.ID = ""
	}
	if usage := redact(string(r.Usage)); usage != string(r.Usage) {
		r.Usage = json.RawMessage(usage)
		if !json.Valid(r.Usage) {
			r.Usage = nil
		}
	}
	r.ToolUses = redacted(r.ToolUses, shorten, func(n int64) int64 { return n })
	r.Labels = redacted(r.Labels, shorten, shorten)
	return r
}

type tokenScanner struct {
	token string
	*scan.Scanner
}

var lastScanner atomic.Pointer[tokenScanner]

// redactor keeps the last scanner, since programs rarely have two tokens.
func redactor(token string) *scan.Scanner {
	if last := lastScanner.Load(); last != nil && last.token == token {
		return last.Scanner
	}
	s := &tokenScanner{token, scan.New(scan.WithExtendedRules(), scan.WithLiveToken(token))}
	lastScanner.Store(s)
	return s.Scanner
}

// redacted returns m itself if nothing changes.
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

var errTwice = errors.New("a key is repeated")

// keys finds duplicate keys. Readers might take different values, and count differently.
type keys struct {
	all [][]byte
	// seen is a small hash set. Only if a key's bit is set is it compared with all others.
	seen uint64
}

func (k *keys) reset() { *k = keys{all: k.all[:0]} }

// add returns errTwice for a duplicate.
func (k *keys) add(key []byte) error {
	n := len(key)
	if n > 0 {
		n += 3*int(key[0]) + 5*int(key[len(key)-1])
	}
	bit := uint64(1) << (n % 64)
	if k.seen&bit != 0 {
		for _, other := range k.all {
			if bytes.Equal(key, other) {
				return errTwice
			}
		}
	}
	k.seen |= bit
	k.all = append(k.all, key)
	return nil
}
