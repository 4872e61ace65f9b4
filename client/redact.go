package client

import (
	"cmp"
	"crypto/sha256"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/scan"
)

// redactor finds credentials in outgoing content and removes them from errors and logs.
type redactor struct {
	token  secret.Secret
	custom *scan.Scanner // nil unless WithScanner
	live   atomic.Pointer[liveTokens]
}

// liveTokens finds the client's token, and one value of MESH_GATEWAY_TOKEN. If the
// variable changes, current makes another.
type liveTokens struct {
	env      [sha256.Size]byte // a digest, because making a Secret would slow down every send
	scanner  *scan.Scanner
	redactor *secret.Redactor
}

// scan rejects content with a credential, unless its rule is allowed. It always looks for
// the client's own token and for MESH_GATEWAY_TOKEN as it is now, which may differ.
func (r *redactor) scan(content string, allowed []int) error {
	finding, found := find(r.current().scanner, content, allowed)
	if r.custom != nil {
		// The custom scanner doesn't know the tokens, so both scanners run. Report the lower
		// rule number.
		if own, ok := find(r.custom, content, allowed); ok && (!found || own.Rule.Number < finding.Rule.Number) {
			finding, found = own, true
		}
	}
	if !found {
		return nil
	}
	return &MeshSecretLeakError{Finding: finding, Word: r.triggerWord(finding, content)}
}

// maxWord limits the word shown in an error, in letters.
const maxWord = 24

// triggerWord returns the word that triggered a heuristic rule. The result contains no
// letters from the match, and nothing that looks like a credential.
func (r *redactor) triggerWord(f scan.Finding, content string) string {
	trigger := f.Trigger()
	if trigger == "" {
		return ""
	}
	rest := strings.TrimLeftFunc(content[f.End:], unicode.IsLetter) // letters right behind the match may belong to it
	for word := range strings.FieldsFuncSeq(rest, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if strings.Contains(word, trigger) && utf8.RuneCountInString(word) <= maxWord && r.redact(word) == word {
			return word
		}
	}
	return trigger
}

// find returns the leftmost match for the lowest rule number that is not allowed.
func find(s *scan.Scanner, content string, allowed []int) (scan.Finding, bool) {
	findings := slices.DeleteFunc(s.FindAll(content), func(f scan.Finding) bool { return slices.Contains(allowed, f.Rule.Number) })
	if len(findings) == 0 {
		return scan.Finding{}, false
	}
	return slices.MinFunc(findings, func(a, b scan.Finding) int { return cmp.Compare(a.Rule.Number, b.Rule.Number) }), true
}

// hasLiveToken reports whether text contains the client's token or the environment's.
func (r *redactor) hasLiveToken(text string) bool {
	finding, found := r.current().scanner.Find(text)
	return found && finding.Rule.Number == liveTokenRule
}

// maxRequestID is in characters.
const maxRequestID = 128

func (r *redactor) requestID(header http.Header) string {
	return call.OneLine(call.Excerpt([]byte(header.Get("X-Request-Id")), maxRequestID, r.redact))
}

// current returns liveTokens for the token that is now in the environment.
func (r *redactor) current() *liveTokens {
	env := strings.TrimSpace(os.Getenv("MESH_GATEWAY_TOKEN"))
	digest := sha256.Sum256([]byte(env))
	if l := r.live.Load(); l != nil && l.env == digest {
		return l
	}
	l := &liveTokens{
		env:      digest,
		scanner:  scan.New(scan.WithLiveToken(env), scan.WithLiveToken(r.token.Reveal())),
		redactor: secret.NewRedactor(secret.New(env), r.token),
	}
	r.live.Store(l)
	return l
}

// redact prepares foreign text for errors and logs: it removes the live tokens, pieces
// cut from them, and everything that looks like a credential. A 422 response echoes the
// request, some servers echo headers, and a caller may pass a token as a name.
//
// A registration response contains a token that we don't know yet. If we quote an invalid
// one, the quotation ends before the token. The field name may be written with escapes.
func (r *redactor) redact(text string) string {
	if i := secret.Index(text, "peer_token"); i >= 0 {
		text = text[:i] + "peer_token" + secret.Redacted
	}
	return r.redactCredentials(r.current().redactor.Redact(text))
}

// redactOwn redacts this package's own text. It removes only whole tokens, because a part
// is usually an ordinary word here.
func (r *redactor) redactOwn(text string) string {
	return r.redactCredentials(r.current().redactor.RedactWhole(text))
}

func (r *redactor) redactCredentials(text string) string {
	if r.custom != nil {
		text = r.custom.Redact(text)
	}
	return r.current().scanner.Redact(text)
}

func (r *redactor) redactText(err error) string { return call.RedactText(err, r.redact, r.redactOwn) }

// redactError returns err, or an equivalent error without credentials in its text.
func (r *redactor) redactError(err error) error {
	if err == nil {
		return nil
	}
	return call.WithText(err, r.redactText(err))
}
