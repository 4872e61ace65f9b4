package discovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Reason says why an operation gave an empty value.
type Reason string

// The reasons of a [Failure].
const (
	// ReasonMissingCredential: no key in the argument nor in the environment; nothing was sent.
	ReasonMissingCredential Reason = "missing_credential"
	// ReasonDenied: the key was refused, with 401 or 403; Gemini and xAI say 400.
	ReasonDenied Reason = "denied"
	// ReasonRateLimited: 429. RetryAfter says how long to wait, if the provider did.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonStatus: any other status that is not 2xx, redirects included.
	ReasonStatus Reason = "status"
	// ReasonNetwork: no whole answer came, or the caller's context was cancelled; Err tells the two apart.
	ReasonNetwork Reason = "network"
	// ReasonTimeout: the answer did not come in time, or the caller's deadline passed.
	ReasonTimeout Reason = "timeout"
	// ReasonDecode: the answer is not what the provider documents.
	ReasonDecode Reason = "decode"
	// ReasonTooLarge: the answer is over the limit.
	ReasonTooLarge Reason = "too_large"
	// ReasonPartial: a part could not be had; Err says which. Models that could be read are still listed.
	ReasonPartial Reason = "partial"
)

// Failure is what stands behind an empty value. It goes to the handler and the log; with [WithStrictErrors] it is the
// error too, and errors.As finds it, as a value: var f discovery.Failure; errors.As(err, &f). No key is ever in it, not even
// where a provider echoes one.
type Failure struct { //nolint:errname // DESIGN.md fixes the name
	// Operation is the method that failed, as in ListModels.
	Operation string
	// Provider is who failed; "" for the primary catalog.
	Provider Provider
	// Reason is why, for programs.
	Reason Reason
	// StatusCode is the status of the answer, 0 when there was none.
	StatusCode int
	// RetryAfter is what the provider asks to wait; 0 when it does not say.
	RetryAfter time.Duration
	// Err is what happened, for people.
	Err error
}

// Error makes a Failure an error.
func (f Failure) Error() string {
	who := string(f.Provider)
	if who == "" {
		who = "catalog"
	}
	return fmt.Sprintf("discovery: %s: %s: %s: %v", f.Operation, who, f.Reason, f.Err)
}

// Unwrap returns Err.
func (f Failure) Unwrap() error { return f.Err }

// report hands a failure to the handler and the log. Its result is what the operation returns as its error.
func (c *Client) report(ctx context.Context, f Failure) error {
	c.onFailure(f)
	c.log.WarnContext(ctx, "discovery failed", "operation", f.Operation, "provider", string(f.Provider),
		"reason", string(f.Reason), "status", f.StatusCode, "error", f.Err)
	if c.strict {
		return f
	}
	return nil
}

// errorExcerpt is how many characters of an error body a failure shows.
const errorExcerpt = 300

// failed turns a failed call into a Failure. key is taken out of every text.
func failed(operation string, provider Provider, err *call.Error, key secret.Secret) Failure {
	redactor := secret.NewRedactor(key)
	f := Failure{Operation: operation, Provider: provider, StatusCode: err.Status, Reason: reason(provider, err)}
	f.RetryAfter, _ = call.RetryAfter(err.Header, time.Now())
	if err.Err != nil {
		f.Err = redactedError(err.Err, redactor)
		return f
	}
	f.Err = refusal(err.Status, call.Excerpt(err.Body, errorExcerpt, redactor.Redact))
	return f
}

// refusal is a status with what the body says, on one line.
func refusal(status int, body string) error {
	if strings.TrimSpace(body) == "" {
		return fmt.Errorf("status %d", status)
	}
	return fmt.Errorf("status %d: %s", status, call.OneLine(body))
}

func reason(provider Provider, err *call.Error) Reason {
	switch {
	case errors.Is(err, call.ErrTooLarge):
		return ReasonTooLarge
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	case err.Err != nil:
		return ReasonNetwork
	case err.Status == http.StatusUnauthorized, err.Status == http.StatusForbidden, badKey(provider, err):
		return ReasonDenied
	case err.Status == http.StatusTooManyRequests:
		return ReasonRateLimited
	}
	return ReasonStatus
}

// undecodable is an answer that does not keep to the document. The texts of the decoder hold nothing of the answer.
func undecodable(operation string, provider Provider, status int, err error) Failure {
	return Failure{Operation: operation, Provider: provider, Reason: ReasonDecode, StatusCode: status, Err: err}
}

// redactedError returns err, or when its text holds a key, an error without it that can no longer be looked into. That a
// context ended stays visible.
func redactedError(err error, redactor *secret.Redactor) error {
	text := redactor.Redact(err.Error())
	switch {
	case text == err.Error():
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", text, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", text, context.DeadlineExceeded)
	}
	return errors.New(text)
}
