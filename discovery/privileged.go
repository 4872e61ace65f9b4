package discovery

import (
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// givenOrFrom returns the key of the argument, trimmed, else the first that the environment has.
func givenOrFrom(argument string, names ...string) secret.Secret {
	if key := strings.TrimSpace(argument); key != "" {
		return secret.New(key)
	}
	return keyFrom(names...)
}

// uncredentialed is an operation that sent nothing, because what it needs is nowhere to be found.
func uncredentialed(operation string, provider Provider, err error) Failure {
	return Failure{Operation: operation, Provider: provider, Reason: ReasonMissingCredential, Err: err}
}

// timeoutOr returns the timeout of a request: d, or usual where d is 0.
func timeoutOr(d, usual time.Duration) (time.Duration, error) {
	switch {
	case d < 0:
		return 0, &ValueError{Field: "timeout", Value: d.String(), Reason: "is negative"}
	case d == 0:
		return usual, nil
	}
	return d, nil
}

// hidden stands for a key where a query is printed.
func hidden(key string) string {
	if key == "" {
		return ""
	}
	return secret.Redacted
}
