package discovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Secret is a string that prints, logs and marshals as "[REDACTED]", even within a query.
// Make one with [NewSecret]. Its method Reveal returns the string. Equal and == compare
// secrets, and the zero Secret is empty. It's the same type as in package client.
type Secret = secret.Secret

// NewSecret returns text as a [Secret], as in PricingOptions{APIKey: NewSecret(key)}.
func NewSecret(text string) Secret { return secret.New(text) }

// WithKey sets a function that returns a service's key, for example from a vault or for
// the tenant in ctx. An argument such as [PricingOptions.APIKey] takes precedence. The
// environment isn't used even if keyFunc returns "", so that a tenant never gets another
// tenant's key.
//
// # Calls
//
// keyFunc is called for each request that needs a key, possibly concurrently. For the
// catalog and its fallback lists, which all callers share, it gets the values of the
// context whose call started the request.
//
// keyFunc may call the client's methods with the context it receives. If such a call
// would wait for the request that needs the key, it fails at once with a Failure. For
// example, ListModels waits if it reads the providers' lists.
//
// # Errors
//
// If keyFunc fails, or doesn't return within 30 seconds, that's a [Failure] with
// [ReasonMissingCredential].
func WithKey(service Service, keyFunc func(context.Context) (string, error)) Option {
	return func(c *config) error {
		if err := checkService(service); err != nil {
			return err
		}
		if service == ServiceFacts {
			return invalid("service", string(service), "needs no key")
		}
		c.keys[service] = keyFunc
		return notNil("keyFunc", keyFunc != nil)
	}
}

// errNoKey means that no argument, key function or variable has a key.
var errNoKey = errors.New("no key")

// key returns a service's key: the argument, or else the result of [WithKey]'s function,
// or else the first variable that isn't blank. The environment is read at every call,
// because keys are rotated while programs run. The error wraps errNoKey unless the key
// function failed.
func (c *Client) key(ctx context.Context, service Service, argument Secret) (Secret, error) {
	if key := strings.TrimSpace(argument.Reveal()); key != "" {
		return NewSecret(key), nil
	}
	if fn := c.keys[service]; fn != nil {
		return keyFromFunc(ctx, service, fn)
	}
	_, row := lookupService(service)
	for _, name := range row.keyNames {
		if key := strings.TrimSpace(os.Getenv(name)); key != "" {
			return NewSecret(key), nil
		}
	}
	return Secret{}, fmt.Errorf("%w is given, and %s is not set", errNoKey, strings.Join(row.keyNames, " or "))
}

// deepSeekKey also looks in the file named by DEEPSEEK_LEGACY_ENV_PATH, unless there is a
// key function.
func (c *Client) deepSeekKey(ctx context.Context, argument Secret) (Secret, error) {
	const keyName, fileName = "DEEPSEEK_API_KEY", "DEEPSEEK_LEGACY_ENV_PATH"
	key, err := c.key(ctx, ServiceDeepSeek, argument)
	if err == nil || !errors.Is(err, errNoKey) || c.keys[ServiceDeepSeek] != nil {
		return key, err
	}
	path := strings.TrimSpace(os.Getenv(fileName))
	if path == "" {
		return Secret{}, fmt.Errorf("no key is given, and neither %s nor %s is set", keyName, fileName)
	}
	if key, err = keyInFile(path, keyName); err != nil {
		return Secret{}, fmt.Errorf("the file that %s names: %w", fileName, err)
	}
	return key, nil
}

func keyFromFunc(ctx context.Context, service Service, fn func(context.Context) (string, error)) (Secret, error) {
	text, err := callKeyFunc(ctx, fn)
	key := secret.New(strings.TrimSpace(text))
	switch {
	case err != nil:
		return Secret{}, fmt.Errorf("the key function for %s: %w", service, call.WithText(err, secret.NewRedactor(key).Redact(err.Error())))
	case key.Reveal() == "":
		return key, fmt.Errorf("%w from the key function for %s", errNoKey, service)
	}
	return key, nil
}

// keyTimeout bounds a key function, which may wait for itself if it calls the client with
// another context.
const keyTimeout = listTimeout

// callKeyFunc calls fn, and stops waiting if ctx or the time ends.
func callKeyFunc(ctx context.Context, fn func(context.Context) (string, error)) (string, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, keyTimeout, fmt.Errorf("no key within %v", keyTimeout))
	defer cancel()
	var result cache.Value[string]
	never := func(string, time.Time) bool { return false }
	text, _, err := result.Get(bounded, never, func(context.Context) (string, error) { return fn(bounded) })
	if cause := context.Cause(bounded); err != nil && ctx.Err() == nil && cause != nil {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return text, err
}

// maxEnvFile bounds a file with a key, in bytes.
const maxEnvFile = 1 << 20

// keyInFile returns a variable's value in a file with NAME=value lines, as shells and
// dotenv tools write them: with export, spaces around the sign, a quoted value, or a
// comment. As in a shell, the last line that sets it counts.
//
// Its errors quote neither the content nor the path: if a program mixes up two variables,
// the path is the key.
func keyInFile(path, name string) (Secret, error) {
	text, err := openfile.Read(path, maxEnvFile)
	var long *openfile.SizeError
	switch {
	case errors.Is(err, openfile.ErrNotRegular):
		return Secret{}, errors.New("is not a regular file")
	case errors.As(err, &long):
		return Secret{}, errors.New("is too long")
	case err != nil:
		return Secret{}, withoutPath(err)
	}
	key := ""
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\uFEFF")) {
		if value, ok := valueOf(name, strings.TrimSpace(line)); ok {
			key = value
		}
	}
	if key == "" {
		return Secret{}, errors.New("does not set " + name)
	}
	return NewSecret(key), nil
}

func withoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

func valueOf(name, line string) (string, bool) {
	if rest, ok := strings.CutPrefix(line, "export"); ok && strings.TrimLeft(rest, blanks) != rest {
		line = strings.TrimLeft(rest, blanks)
	}
	left, value, ok := strings.Cut(line, "=")
	if !ok || strings.TrimSpace(left) != name {
		return "", false
	}
	value = strings.TrimSpace(value)
	for _, quote := range []string{`"`, `'`} {
		if rest, quoted := strings.CutPrefix(value, quote); quoted {
			inner, after, closed := strings.Cut(rest, quote)
			return strings.TrimSpace(inner), closed && withoutComment(" "+after) == ""
		}
	}
	return withoutComment(" " + value), true
}

const blanks = " \t"

// withoutComment cuts text at the first # after a space.
func withoutComment(text string) string {
	for _, start := range []string{" #", "\t#"} {
		text, _, _ = strings.Cut(text, start)
	}
	return strings.TrimSpace(text)
}
