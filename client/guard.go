package client

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"

	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/scan"
)

// guard keeps credentials out of what is sent, and out of what is said about it.
type guard struct {
	token  secret.Secret
	custom *scan.Scanner // nil unless WithScanner
	live   atomic.Pointer[liveScanner]
}

// liveScanner is a scanner and a redactor that know the live tokens; env is the one they were made for.
type liveScanner struct {
	env      secret.Secret
	scanner  *scan.Scanner
	redactor *secret.Redactor
}

func newGuard(token secret.Secret, custom *scan.Scanner) *guard {
	return &guard{token: token, custom: custom}
}

// check scans a content before it is sent. The environment's token counts as it is at this moment, and this client's own
// as well, which may be another (SPEC.md, Credential scan).
func (g *guard) check(content string) error {
	finding, found := g.current().scanner.Find(content)
	if g.custom != nil {
		// The scanner handed in knows neither live token, so both are asked, and the first rule in table order answers.
		if own, ok := g.custom.Find(content); ok && (!found || own.Rule.Number < finding.Rule.Number) {
			finding, found = own, true
		}
	}
	if !found {
		return nil
	}
	return &MeshSecretLeakError{Finding: finding}
}

// current returns the scanner for the environment's token of this moment, made anew only when that has changed.
func (g *guard) current() *liveScanner {
	env := strings.TrimSpace(os.Getenv("MESH_GATEWAY_TOKEN"))
	if l := g.live.Load(); l != nil && l.env.Reveal() == env {
		return l
	}
	l := &liveScanner{
		env:      secret.New(env),
		scanner:  scan.New(scan.WithLiveToken(env), scan.WithLiveToken(g.token.Reveal())),
		redactor: secret.NewRedactor(secret.New(env), g.token),
	}
	g.live.Store(l)
	return l
}

// redactBody is redact for the body of an answer. A registration's answer holds a token that nobody knows yet; where such
// an answer has to be quoted because it cannot be read, the quote ends there.
func (g *guard) redactBody(text string) string {
	if before, _, found := strings.Cut(text, "peer_token"); found {
		text = before + "peer_token" + secret.Redacted
	}
	return g.redact(text)
}

// redact takes every live token and everything that looks like a credential out of a text that came from outside: a 422
// echoes the request, and some servers echo headers.
func (g *guard) redact(text string) string {
	l := g.current()
	text = l.redactor.Redact(text)
	if g.custom != nil {
		text = g.custom.Redact(text)
	}
	return l.scanner.Redact(text)
}

// redactedError is an error whose text held a secret. It still answers errors.Is, but there is no way through it to the
// text.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

// GoString keeps %#v out of the fields.
func (e *redactedError) GoString() string { return e.text }

func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }

// redactError returns err, or the same error without the secrets in its text.
func (g *guard) redactError(err error) error {
	if err == nil {
		return nil
	}
	text := g.redact(err.Error())
	if text == err.Error() {
		return err
	}
	return &redactedError{text: text, err: err}
}
