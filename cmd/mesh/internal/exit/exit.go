// Package exit turns errors into exit statuses and into text for people. Commands return
// [ErrFound], an error from [Usagef] or [Failedf], or an error from package client or
// discovery. Other errors mean incorrect use.
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

// Exit statuses; mesh help exit-status explains them.
const (
	Done        = 0
	Found       = 1
	Usage       = 2
	Failed      = 3
	Refused     = 4
	Interrupted = 130 // reported by shells after ^C
)

// ErrFound ends a command that found what it looked for.
var ErrFound error = StatusError(Found)

// StatusError ends mesh with a status and prints nothing.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprint("exit status ", int(e)) }

// If returns [ErrFound] if found.
func If(found bool) error {
	if found {
		return ErrFound
	}
	return nil
}

// Error carries the exit status Usage or Failed.
type Error struct {
	Status int
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// WrongUse gives err the status Usage. It returns nil for nil.
func WrongUse(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Usage, err}
}

// Usagef returns an error with the status Usage.
func Usagef(format string, args ...any) error { return &Error{Usage, fmt.Errorf(format, args...)} }

// Failedf returns an error with the status Failed: a provider, the output or a served
// command failed.
func Failedf(format string, args ...any) error { return &Error{Failed, fmt.Errorf(format, args...)} }

// Code returns the exit status for err. An error without a known type is from cobra or
// about a wrong name, so it means incorrect use.
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

// OfFile reports whether err is about a file or its content. Usage help wouldn't explain
// such an error.
func OfFile(err error) bool {
	return is[*fs.PathError](err) || is[*calls.LineError](err) || errors.Is(err, callsfiles.ErrNoFile) || errors.Is(err, calls.ErrUnsupported)
}

func is[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// ServedError is an error about a message that mesh serve answers.
type ServedError struct{ Err error }

func (e *ServedError) Error() string { return e.Err.Error() }

func (e *ServedError) Unwrap() error { return e.Err }
