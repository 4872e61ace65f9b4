package client

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/scan"
)

// ErrMesh is matched by every error of this package: errors.Is(err, client.ErrMesh) (SPEC.md, Errors, base package error).
var ErrMesh = errors.New("mesh")

// ValueError is a bad argument. Nothing was sent (SPEC.md, Errors).
type ValueError struct {
	// Field names the argument.
	Field string
	// Value is what was given, shortened and redacted; empty where showing it could give away a secret.
	Value string
	// Reason says what is wrong with it.
	Reason string
}

func (e *ValueError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("mesh: %s %s", e.Field, e.Reason)
	}
	return fmt.Sprintf("mesh: %s %q %s", e.Field, e.Value, e.Reason)
}

// Is makes the error match [ErrMesh].
func (e *ValueError) Is(target error) bool { return target == ErrMesh }

// longestValue is how many characters of a bad argument an error shows.
const longestValue = 80

// valueError shows the value redacted: somebody may have pasted a token where a name belongs.
func (g *guard) valueError(field, value, reason string) *ValueError {
	return &ValueError{Field: field, Value: shorten(g.redact(value), longestValue), Reason: reason}
}

func shorten(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

// NotInRegistryError is a recipient with a valid name that the gateway's registry does not list: not registered, or not
// enabled, since the gateway hides disabled peers. Nothing was posted (SPEC.md, Errors; WIRE.md G8 and G20).
type NotInRegistryError struct {
	// Name is the recipient asked for, after aliases.
	Name string
	// Near lists up to three registered names that look like it, nearest first.
	Near []string
}

func (e *NotInRegistryError) Error() string {
	text := fmt.Sprintf("mesh: %q is not registered or not enabled", e.Name)
	if len(e.Near) > 0 {
		text += "; did you mean " + strings.Join(e.Near, ", ") + "?"
	}
	return text
}

// Is makes the error match [ErrMesh].
func (e *NotInRegistryError) Is(target error) bool { return target == ErrMesh }

// MeshSecretLeakError is a message whose content looks like it holds a credential. Nothing was posted. Rotate the
// credential and send the message without it (SPEC.md, Errors).
type MeshSecretLeakError struct {
	// Finding names the rule and the place, never the text.
	Finding scan.Finding
}

func (e *MeshSecretLeakError) Error() string {
	return fmt.Sprintf("mesh: content holds a credential (rule %d, %s, bytes %d to %d): rotate it and send the message without it. %s",
		e.Finding.Rule.Number, e.Finding.Rule.Name, e.Finding.Start, e.Finding.End, e.Finding.Rule.Advice)
}

// Is makes the error match [ErrMesh].
func (e *MeshSecretLeakError) Is(target error) bool { return target == ErrMesh }

// MeshGatewayError is a request that did not bring what it asked for (SPEC.md, Errors): a failure of the network, a
// status that is not 2xx, or a body that is not what the document promises.
//
// When a context or the timeout ended it, errors.Is(err, context.Canceled) or context.DeadlineExceeded holds. Tokens, and
// what looks like a credential, are redacted in all of its texts.
type MeshGatewayError struct {
	// Method and Path are those of the request; the path is without the gateway's base path.
	Method, Path string
	// StatusCode is the status of the answer, 0 when there was none.
	StatusCode int
	// Body is the beginning of the answer: 500 characters when the status was an error, 200 when the body could not be
	// understood.
	Body string
	// Delivered is true when the gateway has accepted a message although its receipt could not be read: sending it again
	// would deliver it twice.
	Delivered bool
	// RetryAfter is how long the gateway asks to wait (Retry-After); 0 when it does not say.
	RetryAfter time.Duration
	// Err is the failure underneath; nil when the status alone is the failure.
	Err error
}

func (e *MeshGatewayError) Error() string {
	text := "mesh: " + e.Method + " " + e.Path
	if e.StatusCode != 0 {
		text += ": status " + strconv.Itoa(e.StatusCode)
	}
	if e.Delivered {
		text += ": the message was delivered, do not send it again, but its receipt could not be read"
	}
	switch {
	case e.Err != nil:
		text += ": " + e.Err.Error()
	case e.Body != "":
		text += ": " + call.OneLine(e.Body)
	}
	return text
}

// Is makes the error match [ErrMesh].
func (e *MeshGatewayError) Is(target error) bool { return target == ErrMesh }

// Unwrap returns Err.
func (e *MeshGatewayError) Unwrap() error { return e.Err }

// MeshAuthError is a request refused with 401 or 403 (SPEC.md, Authentication, rule 2). errors.As finds the
// [*MeshGatewayError] in it as well.
type MeshAuthError struct{ MeshGatewayError }

func (e *MeshAuthError) Error() string {
	return e.MeshGatewayError.Error() + " (check the token: WithToken or MESH_GATEWAY_TOKEN)"
}

// Unwrap returns the MeshGatewayError.
func (e *MeshAuthError) Unwrap() error { return &e.MeshGatewayError }
