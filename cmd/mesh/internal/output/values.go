package output

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// Unknown stands for an unknown value in a table.
const Unknown = "-"

// Time formats a gateway time as "2026-11-21 07:54 UTC (3h ago)".
func Time(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.UTC().Format("2006-01-02 15:04 UTC") + " (" + age(time.Now().Unix()-t.Unix()) + ")"
}

// age rounds down. Clocks differ, so a message can seem to come from the future.
func age(seconds int64) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	switch {
	case seconds < -minute:
		return "in the future"
	case seconds < minute:
		return "now"
	case seconds < hour:
		return strconv.FormatInt(seconds/minute, 10) + "m ago"
	case seconds < 2*day:
		return strconv.FormatInt(seconds/hour, 10) + "h ago"
	default:
		return strconv.FormatInt(seconds/day, 10) + "d ago"
	}
}

// Known returns "-" for "".
func Known[T ~string](text T) string { return cmp.Or(string(text), Unknown) }

// Text returns "-" for nil and "".
func Text(text *string) string {
	if text == nil {
		return Unknown
	}
	return Known(*text)
}

// Count returns "-" for nil.
func Count(n *int64) string {
	if n == nil {
		return Unknown
	}
	return strconv.FormatInt(*n, 10)
}

// Decimal returns the shortest decimal with this value.
func Decimal(amount float64) string { return strconv.FormatFloat(amount, 'f', -1, 64) }

// YesNo returns "yes" or "no".
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Alternatives formats names as "a, b or c".
func Alternatives(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Plural returns n and its noun, in the plural if necessary.
func Plural(n int, noun string) string {
	return table.Number(n, noun, noun+"s")
}

// Error formats err for readers who don't know the SDK's packages.
func Error(err error) string {
	text := err.Error()
	var leak *client.MeshSecretLeakError
	var auth *client.MeshAuthError
	switch {
	case errors.As(err, &leak):
		shown := fmt.Sprintf("the message contains a credential and is not sent: %s. %s %s", leak.Finding, leak.Finding.Rule.Advice, leak.Reason())
		text = strings.Replace(text, leak.Error(), strings.TrimSpace(shown), 1)
	case errors.As(err, &auth):
		text = strings.Replace(text, auth.Error(), auth.MeshGatewayError.Error()+authAdvice, 1) // auth.Error() names a Go option
	}
	return withoutPackages(text, err, false)
}

const authAdvice = " (check MESH_GATEWAY_TOKEN or --token-file; mesh whoami shows which is used)"

// withoutPackages removes the package names that SDK errors start with, even from wrapped
// errors. It looks at error types, because a file or a response key can have a package's
// name.
func withoutPackages(text string, err error, inSDK bool) string {
	pkg := packageOf(err)
	inSDK = inSDK || strings.HasPrefix(pkg, module) && !strings.HasPrefix(pkg, module+"cmd/")
	if inSDK && pkg != module+"internal/wire" { // wire errors start with a response key
		shown := withoutPackage(err.Error())
		if failure, ok := err.(*discovery.Failure); ok { //nolint:errorlint // each level is visited
			shown = strings.TrimPrefix(shown, failure.Operation+": ") // a Go method
		}
		text = strings.Replace(text, err.Error(), shown, 1)
	}
	switch err := err.(type) { //nolint:errorlint // unwraps each level itself
	case interface{ Unwrap() error }:
		if wrapped := err.Unwrap(); wrapped != nil {
			text = withoutPackages(text, wrapped, inSDK)
		}
	case interface{ Unwrap() []error }:
		for _, wrapped := range err.Unwrap() {
			text = withoutPackages(text, wrapped, inSDK)
		}
	}
	return text
}

const module = "github.com/mesh-gateway/mesh-go/"

func withoutPackage(text string) string {
	switch name, rest, _ := strings.Cut(text, ": "); name {
	case "mesh", "discovery", "facts", "models", "prices", "calls", "meter", "focus", "report":
		return rest
	}
	return text
}

func packageOf(err error) string {
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath()
}
