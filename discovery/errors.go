package discovery

import "fmt"

// ValueError is a bad argument. Nothing was sent (SPEC.md, Errors). Find it with errors.As.
type ValueError struct {
	// Field names the argument.
	Field string
	// Value is what was given; empty where showing it could give away a secret.
	Value string
	// Reason says what is wrong with it.
	Reason string
}

func (e *ValueError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("discovery: %s %s", e.Field, e.Reason)
	}
	return fmt.Sprintf("discovery: %s %q %s", e.Field, e.Value, e.Reason)
}
