// Package exit turns errors into exit statuses and into the text that a person reads. A command returns [ErrFound], an error of [Usagef] or
// [Failedf], or one of the packages client and discovery. An error of another type is wrong use.
package exit

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// The exit statuses.
const (
	Done    = 0
	Found   = 1
	Usage   = 2
	Failed  = 3
	Refused = 4
	// Interrupted is what a shell has for a command that ^C ends.
	Interrupted = 130
)

// ErrFound ends a command that found what it looked for. The finding has been printed already.
var ErrFound = errors.New("found")

// If returns [ErrFound] if a command has found what it looked for.
func If(found bool) error {
	if found {
		return ErrFound
	}
	return nil
}

// UsageError is a command line that cannot be carried out.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// WrongUse returns an error as a [*UsageError], and nil for nil.
func WrongUse(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// Usagef returns a [*UsageError].
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// FailedError is a failure of a provider, of the output or of a command that mesh serve runs.
type FailedError struct{ Err error }

func (e *FailedError) Error() string { return e.Err.Error() }

func (e *FailedError) Unwrap() error { return e.Err }

// Failedf returns a [*FailedError].
func Failedf(format string, args ...any) error { return &FailedError{Err: fmt.Errorf(format, args...)} }

// Code returns the exit status of an error. An error without a type is one of cobra or of a name, which means wrong use.
func Code(err error) int {
	var usage *UsageError
	var status StatusError
	switch {
	case err == nil:
		return Done
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, ErrFound):
		return Found
	case errors.As(err, &usage):
		return Usage
	case refused(err):
		return Refused
	case failed(err):
		return Failed
	default:
		return Usage
	}
}

func refused(err error) bool {
	var unknown *client.NotInRegistryError
	var leak *client.MeshSecretLeakError
	var name *mail.LeakError
	return errors.As(err, &unknown) || errors.As(err, &leak) || errors.As(err, &name)
}

func failed(err error) bool {
	var (
		gateway *client.MeshGatewayError
		failure *discovery.Failure
		other   *FailedError
		output  *fs.PathError
		row     *client.RowError
	)
	return errors.As(err, &gateway) || errors.As(err, &row) || errors.As(err, &failure) || errors.As(err, &other) || errors.As(err, &output) || errors.Is(err, prices.ErrUnpriced)
}

// StatusError is the exit status of a command that mesh ran.
type StatusError int

func (e StatusError) Error() string { return "" }

// ServedError is an error for a message of mesh serve.
type ServedError struct{ Err error }

func (e *ServedError) Error() string { return e.Err.Error() }

func (e *ServedError) Unwrap() error { return e.Err }
