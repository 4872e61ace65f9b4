package client

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/scan"
)

// ErrMesh matches every error of this package: errors.Is(err, client.ErrMesh).
var ErrMesh = argument.ErrMesh

// ErrTooLarge is returned, wrapped, if a response exceeds [WithMaxResponseBytes]. Raise
// the limit, or fetch fewer messages at a time with FetchOptions.Limit.
var ErrTooLarge = call.ErrTooLarge

// ErrNoSuchPath is returned, wrapped, if a 404 does not come from a missing peer, thread
// or message. The gateway's URL may lack its base path, a proxy may have lost its
// gateway, or the gateway may be too old for the operation.
var ErrNoSuchPath = errors.New("the gateway does not have this path; check the base path of its URL")

// ValueError reports an invalid argument. Nothing was sent.
//
//   - Field is the Go name, either an argument or a field in one.
//   - Value is the argument, or "" if it could be a secret.
//   - Reason says what it must be.
//
// The error's text has all three. It matches [ErrMesh].
type ValueError = argument.ValueError

// NotInRegistryError reports that a name is not in the gateway's registry. Send and Reply
// return it, and post nothing, if the recipient is not registered or is disabled. GetPeer
// returns it if the peer is not registered.
type NotInRegistryError struct {
	// Name is the name that was looked up, after aliases.
	Name string
	// Sender reports that Name is the client's own node. agent.Ask returns it, because an
	// unregistered node cannot receive answers.
	Sender bool
	// Near lists up to three similar registered names, the most similar first. It is empty
	// for GetPeer and Reply, and if the registry has more than 10,000 names or exceeds the
	// size limit.
	Near []string
}

func (e *NotInRegistryError) Error() string {
	text := fmt.Sprintf("mesh: %q is not registered or not enabled", e.Name)
	if e.Sender {
		return text + ": this node cannot receive answers"
	}
	if len(e.Near) > 0 {
		text += "; did you mean " + strings.Join(e.Near, ", ") + "?"
	}
	return text
}

// Is makes the error match [ErrMesh].
func (e *NotInRegistryError) Is(target error) bool { return target == ErrMesh }

// MeshSecretLeakError reports that a message or other request seems to contain a
// credential. It was not sent. Rotate the credential and try again without it.
type MeshSecretLeakError struct {
	// Finding has the rule and the position, in bytes: in Content, or in the string in Extra
	// or [Request] that matched. It does not contain the credential.
	Finding scan.Finding
	// Word is the word after the match that triggered a heuristic rule (10 or 12): for
	// example aws, or a longer word that contains it, such as flaws. It is empty for other
	// rules.
	Word string
}

func (e *MeshSecretLeakError) Error() string {
	rule := e.Finding.Rule
	text := fmt.Sprintf("mesh: content contains a credential (rule %d, %s, bytes %d to %d): rotate it and send the message without it. %s",
		rule.Number, rule.Name, e.Finding.Start, e.Finding.End, rule.Advice)
	if reason := e.Reason(); reason != "" {
		text += " " + reason
	}
	if rule.Number != liveTokenRule {
		text += fmt.Sprintf(" If it is a false positive, allow it with SendRequest.AllowRules: []int{%d}.", rule.Number)
	}
	return text
}

// Reason explains in a sentence why a heuristic rule applies. It returns "" for other
// rules. It does not contain the match.
func (e *MeshSecretLeakError) Reason() string {
	trigger := e.Finding.Trigger()
	switch {
	case trigger == "":
		return ""
	case e.Word == "" || e.Word == trigger:
		return fmt.Sprintf("The rule is heuristic: it applies because the text %q follows.", trigger)
	}
	return fmt.Sprintf("The rule is heuristic: it applies because the text %q follows, in the word %q.", trigger, e.Word)
}

// Is makes the error match [ErrMesh].
func (e *MeshSecretLeakError) Is(target error) bool { return target == ErrMesh }

// MeshGatewayError reports a failed request: a network failure, any status but 2xx, or an
// invalid response.
//
// If a context or the timeout ended the request, errors.Is finds context.Canceled or
// context.DeadlineExceeded. Tokens and text that looks like a credential are redacted in
// all fields.
type MeshGatewayError struct {
	// Method and Path identify the request. Path does not include the base path of the
	// gateway's URL.
	Method, Path string
	// StatusCode is the response status, or 0 if there was no response.
	StatusCode int
	// Body is the start of the response body: 500 characters if the status is not 2xx, 200
	// characters if the body is invalid.
	Body string
	// Delivered reports that the gateway accepted the message, but its receipt is invalid.
	// Do not send the message again: it would arrive twice.
	Delivered bool
	// Uncertain reports that the gateway may have accepted the message. Send it again only
	// under the same IdempotencyKey, or it may arrive twice.
	//
	// It is set if an attempt that may have been transmitted got no response, a 5xx
	// response, or a 2xx response from something else, such as a proxy. A 409 sets it if the
	// client made the key, since only an earlier attempt can have used it. Only Send, Reply
	// and Do set it, and never together with Delivered.
	Uncertain bool
	// RetryAfter is the wait requested by the Retry-After header, or 0.
	RetryAfter time.Duration
	// RequestID is the response's X-Request-Id header, cut to 128 characters.
	RequestID string
	// Err is the underlying error, or explains the status. It may be nil if there was a
	// response.
	Err error
}

func (e *MeshGatewayError) Error() string {
	text := "mesh: " + e.Method + " " + e.Path
	if e.StatusCode != 0 {
		text += ": status " + strconv.Itoa(e.StatusCode)
	}
	what := "message"
	if e.Path != opListMessages.path {
		what = "request"
	}
	if e.Delivered {
		text += ": the " + what + " was delivered, do not send it again, but its receipt is invalid"
	}
	if e.Uncertain {
		text += ": the " + what + " may have been delivered"
	}
	if e.Body != "" && (e.Err == nil || !accepted(e.StatusCode)) {
		text += ": " + strings.TrimSpace(call.OneLine(e.Body)) // a body may end with a line break
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// Is makes the error match [ErrMesh].
func (e *MeshGatewayError) Is(target error) bool { return target == ErrMesh }

// Unwrap returns Err.
func (e *MeshGatewayError) Unwrap() error { return e.Err }

// MeshAuthError reports that the gateway answered 401 or 403. errors.As also finds it as
// a [*MeshGatewayError].
type MeshAuthError struct{ MeshGatewayError }

// Error adds advice about the token. With 403, the gateway knows the token, and Body says
// why it refused.
func (e *MeshAuthError) Error() string {
	if e.StatusCode == http.StatusForbidden {
		return e.MeshGatewayError.Error() + " (this node may not do that, or MESH_GATEWAY_TOKEN is another node's token)"
	}
	return e.MeshGatewayError.Error() + " (check the token: WithToken or MESH_GATEWAY_TOKEN)"
}

// Unwrap returns the MeshGatewayError.
func (e *MeshAuthError) Unwrap() error { return &e.MeshGatewayError }

// statusOf returns a failed request's status. It is 0 if there was no response, and -1 if
// err is not a failed request or the client is closed.
func statusOf(err error) int {
	var failed *MeshGatewayError
	if !errors.As(err, &failed) || errors.Is(err, errClosed) {
		return -1
	}
	return failed.StatusCode
}
