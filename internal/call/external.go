package call

import (
	"context"
	"errors"
	"strings"
)

// externalError marks an error of net/http or of a transport. Its text may quote what a server or a proxy sent: a status, a
// header, a part of the body.
type externalError struct{ err error }

func (e externalError) Error() string { return e.err.Error() }
func (e externalError) Unwrap() error { return e.err }

// external marks err, unless its text is known.
func external(err error) error {
	for _, known := range []error{ErrTooLarge, errNoStatus} {
		if errors.Is(err, known) {
			return err
		}
	}
	if err == context.Canceled || err == context.DeadlineExceeded { //nolint:errorlint // a wrapped one may have other text
		return err
	}
	return externalError{err}
}

// RedactText returns the text of an error of this package: the part that came from outside as returned by outside, and the rest
// as returned by own. A redactor for text from outside must also recognize parts of a secret; in our own text such a part is an
// ordinary word.
func RedactText(err error, outside, own func(string) string) string {
	var e externalError
	if !errors.As(err, &e) {
		return own(err.Error())
	}
	before, after, found := strings.Cut(err.Error(), e.Error())
	if !found {
		return outside(err.Error())
	}
	return own(before) + outside(e.Error()) + own(after)
}
