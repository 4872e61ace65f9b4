// Package argument has the error of an invalid argument, which the packages client and discovery have in common.
package argument

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/scan"
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

	pkg string // the package that returns the error; "" is client, whose errors begin with "mesh"
}

// New returns the error of an argument of a package. Its Value is what [Shown] returns, and a name in its Reason is redacted, too.
func New(pkg, field, value, reason string) *ValueError {
	return &ValueError{Field: field, Value: Shown(value), Reason: Redact(reason), pkg: pkg}
}

// Error returns the name of the package, the field, the value and the reason. Errors of package client, and a ValueError that another
// program made, begin with "mesh".
func (e *ValueError) Error() string {
	pkg := cmp.Or(e.pkg, "mesh")
	if e.Value == "" {
		return fmt.Sprintf("%s: %s %s", pkg, e.Field, e.Reason)
	}
	return fmt.Sprintf("%s: %s %q %s", pkg, e.Field, e.Value, e.Reason)
}

// Is makes the error match [ErrMesh].
func (e *ValueError) Is(target error) bool { return target == ErrMesh }

// maxShown is the length of the longest invalid name that an error shows. Keys are longer.
const maxShown = 32

// Shown returns name as the text of an error, or "" for one that could be a key pasted into the wrong place.
func Shown(name string) string {
	if len(name) > maxShown || Redact(name) != name {
		return ""
	}
	return name
}

// Redact returns text as a field of an error or a record has it: without what looks like a credential, and without the token that is in
// MESH_GATEWAY_TOKEN.
func Redact(text string) string {
	if _, found := scan.Find(text); !found {
		return text
	}
	return scan.New(scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN"))).Redact(text)
}

// MaxText is the length in bytes at which a record cuts a text: a line of a calls file has at most 1 MiB.
const MaxText = 1 << 10

// Cut returns text with at most limit bytes, of which the last are then "…".
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
