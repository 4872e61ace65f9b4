// Package argument has the error of an invalid argument, which the packages client and discovery have in common.
package argument

import (
	"errors"
	"fmt"
)

// ErrMesh matches every ValueError, and every other error of package client.
var ErrMesh = errors.New("mesh")

// ValueError reports an invalid argument. Nothing was sent.
type ValueError struct {
	// Field is the Go name of the argument, or of the field in it. In an argument that is JSON, its keys follow: "usage.input_tokens".
	Field string
	// Value is the argument, shortened and redacted. It is empty where showing it could reveal a secret.
	Value string
	// Reason describes the requirement that the argument violates, as in "must be positive".
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

// maxShown is the length of the longest invalid name that an error shows. Keys are longer.
const maxShown = 32

// Shown returns name as the Value of an error, or "" for one that could be a key pasted into the wrong place.
func Shown(name string) string {
	if len(name) > maxShown {
		return ""
	}
	return name
}
