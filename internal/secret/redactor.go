package secret

import (
	"encoding/json"
	"net/url"
	"strings"
)

// Redactor takes known secrets out of a text. It is immutable and safe for concurrent use; nil and the zero value change
// nothing.
type Redactor struct{ replacer *strings.Replacer }

// NewRedactor returns a Redactor for the given secrets. Each is found as it is, and as it looks when a server echoes it
// in a URL or in JSON. Empty ones are left out; there is no shortest length, because a short token is a token too.
func NewRedactor(secrets ...Secret) *Redactor {
	var pairs []string
	for _, s := range secrets {
		for _, form := range forms(s.Reveal()) {
			pairs = append(pairs, form, Redacted)
		}
	}
	return &Redactor{replacer: strings.NewReplacer(pairs...)}
}

// forms lists how text may come back. strings.Replacer takes the first that fits at a place, so the longest, escaped
// forms need not come first: where they differ from the plain one, the plain one does not fit.
func forms(text string) []string {
	if text == "" {
		return nil
	}
	quoted, _ := json.Marshal(text) // a string always has a JSON form
	all := []string{text, url.QueryEscape(text), url.PathEscape(text), string(quoted[1 : len(quoted)-1])}
	seen := make(map[string]bool, len(all))
	var distinct []string
	for _, form := range all {
		if !seen[form] {
			seen[form] = true
			distinct = append(distinct, form)
		}
	}
	return distinct
}

// Redact returns text without the secrets.
func (r *Redactor) Redact(text string) string {
	if r == nil || r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}
