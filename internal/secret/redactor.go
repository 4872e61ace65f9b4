package secret

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Redactor takes known secrets out of a text. It is immutable and safe for concurrent use; nil and the zero value change
// nothing.
type Redactor struct{ replacer *strings.Replacer }

// NewRedactor returns a Redactor for the given secrets. Each is found as it is, and as it looks when a server echoes it
// in a URL or in JSON. Empty ones are left out; there is no shortest length, because a short token is a token too.
func NewRedactor(secrets ...Secret) *Redactor {
	var all []string
	for _, s := range secrets {
		all = append(all, forms(s.Reveal())...)
	}
	// strings.Replacer takes the first that fits, so the longest has to stand first: of two secrets that begin alike,
	// the shorter one would leave the end of the longer one standing.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	var pairs []string
	for _, form := range slices.Compact(all) {
		pairs = append(pairs, form, Redacted)
	}
	return &Redactor{replacer: strings.NewReplacer(pairs...)}
}

// forms lists how text may come back.
func forms(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text, url.QueryEscape(text), url.PathEscape(text), quoted(text, true), quoted(text, false)}
}

// quoted is text as it stands in JSON. Go escapes what is special in HTML, most servers do not.
func quoted(text string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	_ = enc.Encode(text) // a string always has a JSON form
	return b.String()[1 : b.Len()-len("\"\n")]
}

// Redact returns text without the secrets.
func (r *Redactor) Redact(text string) string {
	if r == nil || r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}
