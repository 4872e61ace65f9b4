package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/scan"
)

// The exit statuses.
const (
	exitDone    = 0
	exitFound   = 1
	exitUsage   = 2
	exitFailed  = 3
	exitRefused = 4
	// exitInterrupted is what a shell has for a command that ^C ends.
	exitInterrupted = 130
)

// errFound ends a command that found what it looked for. The finding has been printed already.
var errFound = errors.New("found")

// usageError is a command line that cannot be carried out.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

// wrongUse returns an error as a usageError, and nil for nil.
func wrongUse(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// failedError is a failure of a provider, of the output or of a command that mesh serve runs.
type failedError struct{ err error }

func (e *failedError) Error() string { return e.err.Error() }

func (e *failedError) Unwrap() error { return e.err }

func failedf(format string, args ...any) error { return &failedError{fmt.Errorf(format, args...)} }

// exitCode returns the exit status of an error. An error without a type is one of cobra or of a name, which means wrong use.
func exitCode(err error) int {
	var usage *usageError
	var status statusError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, errFound):
		return exitFound
	case errors.As(err, &usage):
		return exitUsage
	case refused(err):
		return exitRefused
	case failed(err):
		return exitFailed
	default:
		return exitUsage
	}
}

// withoutPath returns the cause of an error of a file, for a message that names the file.
func withoutPath(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return callsfiles.ErrNoFile
	case errors.As(err, &path):
		return path.Err
	}
	return err
}

// fileError returns an error of a file in the words of this command.
func fileError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", name, withoutPath(err))
	}
	return err
}

func refused(err error) bool {
	var unknown *client.NotInRegistryError
	var leak *client.MeshSecretLeakError
	var name *lookup.LeakError
	return errors.As(err, &unknown) || errors.As(err, &leak) || errors.As(err, &name)
}

func failed(err error) bool {
	var (
		gateway *client.MeshGatewayError
		failure *discovery.Failure
		other   *failedError
		output  *fs.PathError
		row     *client.RowError
	)
	return errors.As(err, &gateway) || errors.As(err, &row) || errors.As(err, &failure) || errors.As(err, &other) || errors.As(err, &output) || errors.Is(err, prices.ErrUnpriced)
}

// explain returns the text of an error and what to do next. The field of a ValueError becomes its name on the command line. Credentials
// are redacted: one may have been given in the wrong place of the command line.
func explain(err error) string {
	text := output.Error(err) + advice(err)
	var path *fs.PathError
	if errors.As(err, &path) && errors.Is(path, fs.ErrNotExist) {
		text = strings.Replace(text, path.Error(), fileError(path.Path, path).Error(), 1)
	}
	var value *client.ValueError
	if errors.As(err, &value) && sources[value.Field] != "" {
		_, wrong, _ := strings.Cut(value.Error(), value.Field)
		text = strings.Replace(text, value.Field+wrong, sources[value.Field]+wrong, 1)
	}
	return redact(text)
}

// redact returns a text of an error or a log without credentials. A live token is that of the environment: package client redacts its own.
func redact(text string) string {
	return scan.New(scan.WithExtendedRules(), scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN"))).Redact(text)
}

// advice returns what the flags and variables of the command can do about an error.
func advice(err error) string {
	var (
		leak    *client.MeshSecretLeakError
		absent  *client.NotInInboxError
		dial    *net.OpError
		gateway *client.MeshGatewayError
	)
	var served *servedError
	switch {
	case errors.As(err, &served) && errors.As(err, &leak) && leak.Finding.Rule.Number > 0:
		return fmt.Sprintf(" To send a false positive, use mesh serve --allow-rule %d.", leak.Finding.Rule.Number)
	case errors.As(err, &leak) && leak.Finding.Rule.Number > 0: // rule 0, the live tokens, never passes
		return fmt.Sprintf(" To send a false positive, use mesh send --allow-rule %d.", leak.Finding.Rule.Number)
	case errors.As(err, &absent) && absent.Searched != "":
		return "; mesh threads ID shows the messages of a thread, and mesh send --thread answers in one"
	case errors.As(err, &gateway) && errors.Is(err, http.ErrSchemeMismatch):
		return " (use http:// in MESH_GATEWAY_URL or --gateway-url)"
	case errors.Is(err, client.ErrNoSuchPath):
		return " (MESH_GATEWAY_URL or --gateway-url, which usually ends in /gateway)"
	case errors.As(err, &gateway) && errors.As(err, &dial) && dial.Op == "dial":
		return " (check MESH_GATEWAY_URL or --gateway-url, and whether the gateway runs)"
	default:
		return ""
	}
}

// sources are the arguments, flags and variables that the fields of a ValueError come from, by their Go names.
var sources = map[string]string{ //nolint:gosec // the names of flags
	"AllowRules":         "--allow-rule",
	"Budget":             "--budget",
	"By":                 "--by",
	"Content":            "TEXT",
	"FromNode":           "--from",
	"IdempotencyKey":     "--key",
	"Interval":           "--interval",
	"Kind":               "KIND",
	"Kinds":              "--kind",
	"Lease":              "--share",
	"Limit":              "--limit",
	"MaxAttempts":        "--max-attempts",
	"Peer":               "--peer",
	"PerCall":            "--per-call",
	"RelatedTaskID":      "--task",
	"SessionID":          "--session",
	"ThreadID":           "--thread",
	"To":                 "TO",
	"Topic":              "--topic",
	"USD":                "--budget",
	"Usage.CacheRead":    "--cache-read",
	"Usage.CacheWrite1h": "--cache-write-1h",
	"Usage.CacheWrite5m": "--cache-write",
	"Usage.Input":        "--input",
	"Usage.Output":       "--output",
	"Workers":            "--workers",
	"gatewayURL":         "--gateway-url or MESH_GATEWAY_URL",
	"node":               "--node or MESH_NODE",
	"token":              "--token-file, MESH_TOKEN_FILE or MESH_GATEWAY_TOKEN",
}

// args wraps an argument check of cobra so that its error is the usage of the command.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if check(cmd, given) == nil {
			return nil
		}
		count := fmt.Sprint(len(given), " arguments")
		if len(given) == 1 {
			count = "1 argument"
		}
		return usagef("%s given; usage: %s", count, cmd.UseLine())
	}
}

// flagError returns the error of a flag. Package pflag shows the errors of package strconv.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedName() == "output" {
		return usagef("%w; use -o", err)
	}
	if unknown != nil {
		if name := similarFlag(cmd, unknown.GetSpecifiedName()); name != "" {
			return usagef("%w; did you mean --%s?", err, name)
		}
	}
	if !errors.As(err, &invalid) {
		return &usageError{err}
	}
	form := map[string]string{
		"bool": "true or false", "float64": "a number", "duration": "a duration such as 30s", "intSlice": "a number, or numbers with commas",
	}[invalid.GetFlag().Value.Type()]
	return usagef("--%s %q must be %s", invalid.GetFlag().Name, invalid.GetValue(), cmp.Or(form, "a whole number"))
}
