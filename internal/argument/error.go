// Package argument provides ValueError, which packages client and discovery share, and
// redacts the values it shows.
package argument

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/scan"
)

// ErrMesh matches every ValueError, and every other error from package client.
var ErrMesh = errors.New("mesh")

// ValueError reports an invalid argument. Nothing was sent.
type ValueError struct {
	// Field is the Go name of the argument or struct field. If the argument is JSON, its
	// keys follow: "usage.input_tokens".
	Field string
	// Value is the argument, shortened and redacted. It's empty if it could be a secret.
	Value string
	// Reason states the violated requirement, as in "must be positive".
	Reason string

	pkg string // of the failing function; "" means client
}

// Hidden returns an error from package client that doesn't show the value.
func Hidden(field, reason string) error { return &ValueError{Field: field, Reason: reason} }

// Plain shows the value, which must not be text from outside: that may be a token.
func Plain(field string, value any, reason string) error {
	return &ValueError{Field: field, Value: fmt.Sprint(value), Reason: reason}
}

// New returns an error from package pkg. It redacts value (see [Shown]) and reason.
func New(pkg, field, value, reason string) *ValueError {
	return &ValueError{Field: field, Value: Shown(value), Reason: Redact(reason), pkg: pkg}
}

// Error returns the package, field, value and reason. The package is "mesh" for package
// client, and for a ValueError made elsewhere.
func (e *ValueError) Error() string {
	pkg := cmp.Or(e.pkg, "mesh")
	if e.Value == "" {
		return fmt.Sprintf("%s: %s %s", pkg, e.Field, e.Reason)
	}
	return fmt.Sprintf("%s: %s %q %s", pkg, e.Field, e.Value, e.Reason)
}

// Is matches [ErrMesh].
func (e *ValueError) Is(target error) bool { return target == ErrMesh }

// maxShown bounds invalid names in errors, in bytes. Keys are longer.
const maxShown = 32

// Shown returns name, or "" if it could be a key pasted into the wrong place.
func Shown(name string) string {
	if len(name) > maxShown || Redact(name) != name {
		return ""
	}
	return name
}

// Redact removes credentials from text: everything that looks like one, and the value of
// MESH_GATEWAY_TOKEN.
func Redact(text string) string {
	if _, found := scan.Find(text); !found {
		return text
	}
	return scan.New(scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN"))).Redact(text)
}

// MaxText is the maximum length of a string in a record, in bytes. A line in a calls file
// is limited to 1 MiB.
const MaxText = 1 << 10

// Cut shortens text to at most limit bytes, including a final "…".
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const mark = "…"
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
