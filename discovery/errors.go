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

// ValueError reports an invalid argument. Nothing was sent. Its fields are Field, the Go name of the argument, or of the field in it;
// Value, the argument, or "" if it could be a secret; and Reason, what it must be. The text of the error has all three. It matches
// client.ErrMesh. It is the type that package client has under the same name.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error {
	return argument.New("discovery", field, value, reason)
}

func notNegative(field string, d time.Duration) error {
	if d < 0 {
		return invalid(field, d.String(), "must not be negative")
	}
	return nil
}

// Reason classifies a [Failure] for programs.
type Reason string

// The reasons of a [Failure].
const (
	// ReasonMissingCredential means that there is no key. Nothing was sent.
	ReasonMissingCredential Reason = "missing_credential"
	// ReasonDenied means that the key was rejected, with a status of 401 or 403; Gemini and xAI also use 400.
	ReasonDenied Reason = "denied"
	// ReasonRateLimited means that the status was 429. RetryAfter is the wait that the provider requests, if any.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonStatus means any other status outside 2xx, including redirects.
	ReasonStatus Reason = "status"
	// ReasonNetwork means that no complete response arrived, or that the caller's context was canceled; Err distinguishes the
	// two.
	ReasonNetwork Reason = "network"
	// ReasonTimeout means that the response did not arrive in time, or that the caller's deadline passed.
	ReasonTimeout Reason = "timeout"
	// ReasonDecode means that the response does not have the documented form.
	ReasonDecode Reason = "decode"
	// ReasonTooLarge means that the response exceeds the limit of [WithMaxResponseBytes].
	ReasonTooLarge Reason = "too_large"
	// ReasonPartial means that a part of the data is missing or out of date; Err describes which. Rows that could be read are
	// used.
	ReasonPartial Reason = "partial"
)

// Failure is the cause of an empty result. In an error, errors.As finds it as a *Failure. It never contains a key, even if the provider
// echoes it.
type Failure struct { //nolint:errname // the exported name is fixed
	// Operation is the name of the method that was called, such as "ListModels".
	Operation string
	// Provider is the provider whose call failed, or "" for the primary catalog and the price table.
	Provider models.Provider
	// Reason classifies the failure.
	Reason Reason
	// StatusCode is the HTTP status, or 0 if there was no response.
	StatusCode int
	// RetryAfter is the wait that the provider requests, or 0.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

// Error returns operation, provider, reason and cause.
func (f Failure) Error() string {
	who := string(f.Provider)
	switch {
	case who != "":
	case f.Operation == opUpdatePrices, f.Operation == opConfirmPrices:
		who = "price table"
	default:
		who = "catalog"
	}
	return fmt.Sprintf("discovery: %s: %s: %s: %v", f.Operation, who, f.Reason, f.Err)
}

// Unwrap returns Err.
func (f Failure) Unwrap() error { return f.Err }

// of returns the failure of a shared request as that of an operation.
func (f Failure) of(operation string) *Failure {
	f.Operation = operation
	return &f
}

// failure returns a Failure of the request. status is 0 when nothing was received.
func (r request) failure(reason Reason, status int, err error) *Failure {
	return &Failure{Operation: r.operation, Provider: r.provider, Reason: reason, StatusCode: status, Err: err}
}

// missingKey returns the Failure of a request that was not sent because its key is missing.
func (r request) missingKey(err error) *Failure { return r.failure(ReasonMissingCredential, 0, err) }

// partial returns the Failure of a successful response that lacks data.
func (r request) partial(err error) *Failure { return r.failure(ReasonPartial, http.StatusOK, err) }

// undecodable returns the Failure of a successful response that does not have the documented form. The texts of the decoder
// contain no part of the response.
func (r request) undecodable(err error) *Failure { return r.failure(ReasonDecode, http.StatusOK, err) }

// interrupted returns the Failure of a caller whose context ended while it waited for a shared request, or who is a key function
// that this request waits for.
func (r request) interrupted(err error) *Failure {
	switch {
	case errors.Is(err, cache.ErrReentered):
		return r.missingKey(err)
	case errors.Is(err, context.DeadlineExceeded):
		return r.failure(ReasonTimeout, 0, err)
	}
	return r.failure(ReasonNetwork, 0, err)
}

// excerptLength is how many characters of an error body a Failure shows.
const excerptLength = 300

// failed returns the Failure of a failed call, with the key removed from every text.
func (r request) failed(err *call.Error) *Failure {
	redactor := secret.NewRedactor(r.key)
	f := r.failure(r.reason(err), err.Status, nil)
	f.RetryAfter, _ = call.RetryAfter(err.Header, time.Now())
	cause := cmp.Or(err.Err, err.NotFollowed())
	if cause != nil {
		f.Err = redactedError(cause, call.RedactText(cause, redactor.Redact, redactor.RedactWhole))
	}
	if body := call.Excerpt(err.Body, excerptLength, redactor.Redact); f.Err == nil {
		f.Err = statusError(err.Status, body)
	} else if err.Status >= http.StatusMultipleChoices && strings.TrimSpace(body) != "" {
		f.Err = fmt.Errorf("%w: %w", statusError(err.Status, body), f.Err) // the body stalled or led elsewhere
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
		return ReasonDenied // also if the body stalls
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

// keyRefused reports whether a status of 400 means that the key was refused.
func (r request) keyRefused(err *call.Error) bool {
	return err.Status == http.StatusBadRequest && slices.ContainsFunc(r.refusedKey, func(text string) bool {
		return bytes.Contains(err.Body, []byte(text))
	})
}

// redactedError returns err, or, if its redacted text differs, an error with that text that unwraps only to the end of a
// context.
func redactedError(err error, text string) error {
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
