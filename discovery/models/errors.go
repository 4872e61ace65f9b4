package models

import "github.com/mesh-gateway/mesh-go/internal/argument"

// ValueError reports an invalid argument. It matches client.ErrMesh, and is the type
// that packages client and discovery export under the same name.
//
// Field is the argument's Go name, or its field's. Value is the argument, or "" if it
// could be a secret. Reason says what the argument must be. The error string has all
// three.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("models", field, value, reason) }
