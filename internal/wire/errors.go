package wire

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Reasons in an [Error]. They never quote a value.
var (
	errMissing     = errors.New("required field is missing")
	errNull        = errors.New("null where a value is required")
	errTrailing    = errors.New("more data after the JSON document")
	errNotInteger  = errors.New("number is not an integer in range")
	errNotFlag     = errors.New("number is neither 0 nor 1")
	errNotNumber   = errors.New("text is not a number")
	errNotJSON     = errors.New("value cannot be written as JSON")
	errNotJSONType = errors.New("value has the wrong type")
)

// ErrTooMany is the reason if a document exceeds the limit on array elements and map
// entries.
var ErrTooMany = fmt.Errorf("the document has more than %d array elements and map entries", maxElements)

// Path elements that stand for names the document doesn't define.
const (
	unknownField = "(unknown field)"
	anyKey       = "*" // a map key
)

// Error reports a document that violates its contract, or a value that JSON can't
// express.
type Error struct {
	// Path locates the value, as in messages[3].kind, and is empty for the whole
	// document. A map key is shown as "*", and a field that the document doesn't define
	// as "(unknown field)".
	Path string
	Err  error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// located prepends step to err's path.
func located(step string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Path: step, Err: err}
	}
	if step != "" && e.Path != "" && e.Path[0] != '[' {
		step += "."
	}
	return &Error{Path: step + e.Path, Err: e.Err}
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

type typeError struct{ want, got jsonread.Kind }

func (e *typeError) Error() string {
	if e.got == jsonread.Null {
		return errNull.Error()
	}
	return fmt.Sprintf("got %s, want %s", e.got, e.want)
}
