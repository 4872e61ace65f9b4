package output

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
)

// Error returns the text of an error, for a reader who does not know the packages of the SDK.
func Error(err error) string {
	text := err.Error()
	var leak *client.MeshSecretLeakError
	var auth *client.MeshAuthError
	switch {
	case errors.As(err, &leak):
		shown := fmt.Sprintf("the message contains a credential and is not sent: %s. %s %s", leak.Finding, leak.Finding.Rule.Advice, leak.Reason())
		text = strings.Replace(text, leak.Error(), strings.TrimSpace(shown), 1)
	case errors.As(err, &auth):
		text = strings.Replace(text, auth.Error(), auth.MeshGatewayError.Error()+authAdvice, 1) // without the name of an option
	}
	return withoutPackages(text, err, false)
}

const authAdvice = " (check MESH_GATEWAY_TOKEN or --token-file; mesh whoami shows which is used)"

// withoutPackages returns a text that contains that of err without the names of packages, with which the errors of the SDK begin, also
// those that others wrap. It goes by the types of the errors, because a file or a key of a response can have the name of a package.
func withoutPackages(text string, err error, inSDK bool) string {
	pkg := packageOf(err)
	inSDK = inSDK || strings.HasPrefix(pkg, module) && !strings.HasPrefix(pkg, module+"cmd/")
	if inSDK && pkg != module+"internal/wire" { // its errors begin with a key of the response
		text = strings.Replace(text, err.Error(), withoutPackage(err.Error()), 1)
	}
	switch err := err.(type) { //nolint:errorlint // each level once
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

// withoutPackage returns the text of an error of the SDK without the name of its package.
func withoutPackage(text string) string {
	switch name, rest, _ := strings.Cut(text, ": "); name {
	case "mesh", "discovery", "models", "prices", "calls", "meter", "focus", "report":
		return rest
	}
	return text
}

// packageOf returns the path of the package that has the type of an error.
func packageOf(err error) string {
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath()
}
