package secret

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Redactor takes known secrets out of a text. It is immutable and safe for concurrent use; nil and the zero value change
// nothing.
type Redactor struct{ replacer *strings.Replacer }

// NewRedactor returns a Redactor for the given secrets. Each is found as it is, and as it looks when a server echoes it
// in a URL, in JSON or in HTML. Empty ones are left out; there is no shortest length, because a short token is a token too.
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
	query, path, plain := url.QueryEscape(text), url.PathEscape(text), quoted(text, false)
	return []string{
		text, query, path, lowerHex(query), lowerHex(path),
		plain, quoted(text, true), strings.ReplaceAll(plain, "/", `\/`),
		html.EscapeString(text), htmlNamed.Replace(text),
	}
}

// htmlNamed escapes as most template engines do; html.EscapeString writes quotes as numbers.
var htmlNamed = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;")

// lowerHex turns the %2F of an escaped text into %2f.
func lowerHex(escaped string) string {
	text := []byte(escaped)
	for i := 0; i+2 < len(text); i++ {
		if text[i] == '%' {
			copy(text[i+1:i+3], bytes.ToLower(text[i+1:i+3]))
		}
	}
	return string(text)
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
