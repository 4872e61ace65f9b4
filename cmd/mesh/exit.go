package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// The exit statuses.
const (
	exitDone    = 0
	exitFound   = 1
	exitUsage   = 2
	exitFailed  = 3
	exitRefused = 4
)

// errFound ends a command that found what it looked for. The finding has been printed already.
var errFound = errors.New("found")

// usageError is a command line that cannot be carried out.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// failedError is a failure of a provider, of the output or of a command that mesh serve runs.
type failedError struct{ err error }

func (e *failedError) Error() string { return e.err.Error() }
func (e *failedError) Unwrap() error { return e.err }

func failedf(format string, args ...any) error { return &failedError{fmt.Errorf(format, args...)} }

// exitCode returns the exit status of an error. An error without a type is one of cobra, which means wrong use.
func exitCode(err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
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

func refused(err error) bool {
	var unknown *client.NotInRegistryError
	var leak *client.MeshSecretLeakError
	return errors.As(err, &unknown) || errors.As(err, &leak)
}

func failed(err error) bool {
	var (
		gateway *client.MeshGatewayError
		failure *discovery.Failure
		other   *failedError
		output  *fs.PathError
	)
	return errors.As(err, &gateway) || errors.As(err, &failure) || errors.As(err, &other) || errors.As(err, &output)
}

// explain returns the text of an error, with the flags of the command in place of the options of package client.
func explain(err error) string {
	var leak *client.MeshSecretLeakError
	var auth *client.MeshAuthError
	switch {
	case errors.As(err, &leak):
		rule := leak.Finding.Rule
		text := fmt.Sprintf("the message contains a credential and is not sent: %s. %s", leak.Finding, rule.Advice)
		if rule.Number > 0 { // rule 0, the live tokens, never passes
			text += fmt.Sprintf(" A false positive passes with mesh send --allow-rule %d.", rule.Number)
		}
		return text
	case errors.As(err, &auth):
		return trimPrefix(auth.MeshGatewayError.Error()) + " (check MESH_GATEWAY_TOKEN or --token-file)"
	default:
		return trimPrefix(err.Error())
	}
}

// trimPrefix removes the name of the package that the errors of client and discovery begin with.
func trimPrefix(text string) string {
	return strings.TrimPrefix(strings.TrimPrefix(text, "mesh: "), "discovery: ")
}

// args wraps an argument check of cobra so that its error names the arguments of the command.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			return usagef("%w; usage: %s", err, cmd.UseLine())
		}
		return nil
	}
}
