package output

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
)

// Error returns the text of an error, for a reader who does not know the packages client and discovery.
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
	return packages.ReplaceAllString(text, "$1")
}

const authAdvice = " (check MESH_GATEWAY_TOKEN or --token-file; mesh whoami shows which is used)"

// packages matches the names of packages, with which their errors begin, also those that others wrap.
var packages = regexp.MustCompile(`(^|: |\n)(?:mesh|discovery): `)
