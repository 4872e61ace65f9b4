package discovery

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// ValueError reports an invalid argument. Nothing was sent. It's the same type as in
// package client, and matches client.ErrMesh. Its fields are
//
//   - Field, the Go name of the argument or struct field
//   - Value, the argument, or "" if it could be a secret
//   - Reason, the requirement it violates
type ValueError = argument.ValueError

func invalid(field, value, reason string) error {
	return argument.New("discovery", field, value, reason)
}

func notNil(field string, ok bool) error {
	if !ok {
		return invalid(field, "", "must not be nil")
	}
	return nil
}

func notNegative(field string, d time.Duration) error {
	if d < 0 {
		return invalid(field, d.String(), "must not be negative")
	}
	return nil
}

// Reason classifies a [Failure] for programs.
type Reason string

// Reasons for a [Failure].
const (
	// ReasonMissingCredential means that the key is missing. Nothing was sent.
	ReasonMissingCredential Reason = "missing_credential"
	// ReasonDenied means that the key was rejected: status 401 or 403, and in Gemini and
	// xAI also 400.
	ReasonDenied Reason = "denied"
	// ReasonRateLimited means status 429. RetryAfter is the requested wait, or 0.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonStatus means any other status outside 2xx, including redirects.
	ReasonStatus Reason = "status"
	// ReasonNetwork means that no complete response arrived, or that the caller's context
	// was canceled. To distinguish them, use Err.
	ReasonNetwork Reason = "network"
	// ReasonTimeout means that the response was late, or that the caller's deadline
	// passed.
	ReasonTimeout Reason = "timeout"
	// ReasonDecode means that the response doesn't have the documented form.
	ReasonDecode Reason = "decode"
	// ReasonTooLarge means that the response exceeds [WithMaxResponseBytes].
	ReasonTooLarge Reason = "too_large"
	// ReasonPartial means that some data is missing or outdated. Err tells which.
	// Readable rows are used.
	ReasonPartial Reason = "partial"
)

// Failure is the cause of an empty result. To find it in an error, call errors.As with a
// *Failure. It never contains a key, even if the provider echoes it.
type Failure struct { //nolint:errname // the exported name is fixed
	// Operation is the called method, such as "ListModels".
	Operation string
	// Provider is the provider that failed, or "" for the catalog and the price table.
	Provider models.Provider
	Reason   Reason
	// StatusCode is the HTTP status, or 0 if there was no response.
	StatusCode int
	// RetryAfter is the wait that the provider requests, or 0.
	RetryAfter time.Duration
	Err        error
}

// Error returns the operation, provider, reason and cause.
func (f Failure) Error() string {
	return fmt.Sprintf("discovery: %s: %s: %s: %v", f.Operation, f.source(), f.Reason, f.Err)
}

func (f Failure) source() string {
	switch {
	case f.Provider != "":
		return string(f.Provider)
	case f.Operation == opUpdateFacts:
		return "facts"
	default:
		return "catalog"
	}
}

// Unwrap returns Err.
func (f Failure) Unwrap() error { return f.Err }

// of relabels a shared request's failure with the caller's operation.
func (f Failure) of(operation string) *Failure {
	f.Operation = operation
	return &f
}

// status is 0 if nothing was received
func (r request) failure(reason Reason, status int, err error) *Failure {
	return &Failure{Operation: r.operation, Provider: r.provider, Reason: reason, StatusCode: status, Err: err}
}

func (r request) missingKey(err error) *Failure { return r.failure(ReasonMissingCredential, 0, err) }

// partial returns a Failure for a successful response that lacks data.
func (r request) partial(err error) *Failure { return r.failure(ReasonPartial, http.StatusOK, err) }

// undecodable returns a Failure for a successful response without the documented form.
// Decoder errors don't quote the response.
func (r request) undecodable(err error) *Failure { return r.failure(ReasonDecode, http.StatusOK, err) }

// interrupted returns a Failure for a caller whose context ended while it waited for a
// shared request, or for a key function that this request waits for.
func (r request) interrupted(err error) *Failure {
	switch {
	case errors.Is(err, cache.ErrReentered):
		return r.missingKey(err)
	case errors.Is(err, context.DeadlineExceeded):
		return r.failure(ReasonTimeout, 0, err)
	}
	return r.failure(ReasonNetwork, 0, err)
}

// excerptLength is the number of characters shown from an error body.
const excerptLength = 300

func (r request) failed(err *call.Error) *Failure {
	redactor := secret.NewRedactor(r.key)
	f := r.failure(r.reason(err), err.Status, nil)
	f.RetryAfter, _ = call.RetryAfter(err.Header, time.Now())
	cause := cmp.Or(err.Err, err.NotFollowed())
	if cause != nil {
		f.Err = call.WithText(cause, call.RedactText(cause, redactor.Redact, redactor.RedactWhole))
	}
	if body := call.Excerpt(err.Body, excerptLength, redactor.Redact); f.Err == nil {
		f.Err = statusError(err.Status, body)
	} else if err.Status >= http.StatusMultipleChoices && strings.TrimSpace(body) != "" {
		f.Err = fmt.Errorf("%w: %w", statusError(err.Status, body), f.Err) // the body stalled or redirected
	}
	return f
}

func statusError(status int, body string) error {
	if strings.TrimSpace(body) == "" {
		return fmt.Errorf("status %d", status)
	}
	return fmt.Errorf("status %d: %s", status, call.OneLine(body))
}

func (r request) reason(err *call.Error) Reason {
	switch {
	case err.Status == http.StatusUnauthorized, err.Status == http.StatusForbidden, r.keyRefused(err):
		return ReasonDenied // even if the body stalls
	case errors.Is(err, call.ErrTooLarge):
		return ReasonTooLarge
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	case err.Err != nil:
		return ReasonNetwork
	case err.Status == http.StatusTooManyRequests:
		return ReasonRateLimited
	}
	return ReasonStatus
}

func (r request) keyRefused(err *call.Error) bool {
	return err.Status == http.StatusBadRequest && slices.ContainsFunc(r.refusedKey, func(text string) bool {
		return bytes.Contains(err.Body, []byte(text))
	})
}
