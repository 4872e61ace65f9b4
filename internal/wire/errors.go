package wire

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// What can be wrong with a value. None of these texts holds any part of it.
var (
	errMissing     = errors.New("required field is missing")
	errNull        = errors.New("null where a value is required")
	errTrailing    = errors.New("more data after the JSON document")
	errNotInt64    = errors.New("number is not a 64-bit integer")
	errNotFloat64  = errors.New("number is out of range")
	errNotFlag     = errors.New("number is neither 0 nor 1")
	errNotNumber   = errors.New("text is not a number")
	errNotJSON     = errors.New("value cannot be written as JSON")
	errNotJSONType = errors.New("value has the wrong type")
)

// Error is a document that does not keep its contract.
type Error struct {
	// Path leads to the place, as in messages[3].kind; empty for the document itself.
	Path string
	// Err is what is wrong there.
	Err error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// located puts step in front of the path that err already has. It drops what jx wrapped around an error of ours.
func located(step string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Path: step, Err: reason(err)}
	}
	if step != "" && e.Path != "" && e.Path[0] != '[' {
		step += "."
	}
	e.Path = step + e.Path
	return e
}

// reason returns what jx found, without the words it adds for each level of nesting: a hostile document has thousands of
// levels. The end of the data inside a value is never io.EOF, which means that all is well.
func reason(err error) error {
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// printable makes a field name safe for one line of a log, and short: a name is outside data too.
func printable(key []byte) string {
	const longest = 64
	if len(key) > longest {
		key = key[:longest]
	}
	quoted := strconv.QuoteToASCII(string(key))
	return strings.ReplaceAll(quoted[1:len(quoted)-1], " ", "_")
}

type typeError struct{ want, got jx.Type }

func (e *typeError) Error() string {
	if e.got == jx.Null {
		return errNull.Error()
	}
	return fmt.Sprintf("%s where %s is due", e.got, e.want)
}

// Fields remembers which required fields have come, by their index in the type, 0 to 63. A type with a required field
// beyond that fails every decode, so that the first test shows it.
type Fields uint64

// Add notes that field i has come.
func (f *Fields) Add(i int) { *f |= 1 << i }

// Required is a field that has to come.
type Required struct {
	Index int
	Name  string
}

// Check returns err, or the first required field that has not come.
func (f Fields) Check(err error, required ...Required) error {
	if err != nil {
		return err
	}
	for _, r := range required {
		if f&(1<<r.Index) == 0 {
			return &Error{Path: r.Name, Err: errMissing}
		}
	}
	return nil
}
