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

// externalExcerpt is the number of characters of an error from outside that are shown. An error of net/http quotes the whole line
// of a server that it cannot read. The longest useful error, that of a certificate, lists up to 100 names.
const externalExcerpt = 4000

// RedactText returns the text of an error of this package: the part that came from outside shortened, on one line and as returned
// by outside, and the rest as returned by own. A redactor for text from outside must also recognize parts of a secret; in our own
// text such a part is an ordinary word.
func RedactText(err error, outside, own func(string) string) string {
	var e externalError
	if !errors.As(err, &e) {
		return own(err.Error())
	}
	before, after, found := strings.Cut(err.Error(), e.Error())
	if !found {
		return shorten(err, outside)
	}
	return own(before) + shorten(e, outside) + own(after)
}

func shorten(err error, redact func(string) string) string {
	return OneLine(Excerpt([]byte(err.Error()), externalExcerpt, redact))
}
