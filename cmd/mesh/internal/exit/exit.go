// Package exit turns errors into exit statuses and into the text that a person reads. A command returns [ErrFound], an error of [Usagef] or
// [Failedf], or one of the packages client and discovery. An error of another type is wrong use.
package exit

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
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

// ErrFound ends a command that found what it looked for.
var ErrFound error = StatusError(Found)

// StatusError is the exit status of a command that has printed what it found itself, or of one that mesh ran.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprint("exit status ", int(e)) }

// If returns [ErrFound] if a command has found what it looked for.
func If(found bool) error {
	if found {
		return ErrFound
	}
	return nil
}

// Error is an error with the exit status Usage or Failed.
type Error struct {
	Status int
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// WrongUse returns an error of a command line that cannot be carried out, and nil for nil.
func WrongUse(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Usage, err}
}

// Usagef returns the error of a command line that cannot be carried out.
func Usagef(format string, args ...any) error { return &Error{Usage, fmt.Errorf(format, args...)} }

// Failedf returns a failure of a provider, of the output or of a command that mesh serve runs.
func Failedf(format string, args ...any) error { return &Error{Failed, fmt.Errorf(format, args...)} }

// Code returns the exit status of an error. An error without a type is one of cobra or of a name, which means wrong use.
func Code(err error) int {
	var status StatusError
	var own *Error
	switch {
	case err == nil:
		return Done
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &own):
		return own.Status
	case is[*client.NotInRegistryError](err) || is[*client.MeshSecretLeakError](err) || is[*mail.LeakError](err):
		return Refused
	case is[*client.MeshGatewayError](err) || is[*client.RowError](err) || is[*discovery.Failure](err) || is[*fs.PathError](err) || errors.Is(err, prices.ErrUnpriced):
		return Failed
	default:
		return Usage
	}
}

// OfFile reports whether an error is about a file or its content, which no help explains.
func OfFile(err error) bool {
	return is[*fs.PathError](err) || is[*calls.LineError](err) || errors.Is(err, callsfiles.ErrNoFile) || errors.Is(err, calls.ErrUnsupported)
}

// is reports whether an error has, or wraps, an error of a type.
func is[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// ServedError is an error for a message of mesh serve.
type ServedError struct{ Err error }

func (e *ServedError) Error() string { return e.Err.Error() }

func (e *ServedError) Unwrap() error { return e.Err }
