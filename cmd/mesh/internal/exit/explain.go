package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/scan"
)

// WithoutPath returns an error's cause without the file name, for a message that already
// has it.
func WithoutPath(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return callsfiles.ErrNoFile
	case errors.As(err, &path):
		return path.Err
	}
	return err
}

// FileError words a file system error as "NAME: CAUSE". It returns any other error
// unchanged.
func FileError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", name, WithoutPath(err))
	}
	return err
}

// Lines explains each joined error on its own line. A name in an error can't start
// another line.
func Lines(err error) string {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return output.Line(Explain(err))
	}
	var lines []string
	for _, err := range joined.Unwrap() {
		lines = append(lines, Lines(err))
	}
	return strings.Join(lines, "\n")
}

// Explain adds advice to an error, and uses command-line names for a ValueError's fields.
// It redacts credentials: one may be in the wrong argument.
func Explain(err error) string {
	text := output.Error(err) + advice(err)
	var path *fs.PathError
	if errors.As(err, &path) && errors.Is(path, fs.ErrNotExist) {
		text = strings.Replace(text, path.Error(), FileError(path.Path, path).Error(), 1)
	}
	var value *client.ValueError
	if errors.As(err, &value) && sources[value.Field] != "" {
		_, wrong, _ := strings.Cut(value.Error(), value.Field)
		text = strings.Replace(text, value.Field+wrong, sources[value.Field]+wrong, 1)
	}
	return Redact(text)
}

// Redact removes credentials from an error or a log. The live token is the environment's:
// package client already redacts its own.
func Redact(text string) string {
	return scan.New(scan.WithExtendedRules(), scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN"))).Redact(text)
}

// advice names the flags and variables that fix an error.
func advice(err error) string {
	var (
		leak    *client.MeshSecretLeakError
		absent  *agent.NotInInboxError
		unknown *client.NotInRegistryError
		dial    *net.OpError
	)
	gateway := is[*client.MeshGatewayError](err)
	switch {
	case errors.As(err, &leak) && leak.Finding.Rule.Number > 0: // rule 0, the live tokens, never passes
		command := "send"
		if is[*ServedError](err) {
			command = "serve"
		}
		return fmt.Sprintf(" To send a false positive, use mesh %s --allow-rule %d.", command, leak.Finding.Rule.Number)
	case errors.As(err, &absent) && absent.Searched != "":
		return "; mesh threads ID shows a thread, and mesh send --thread answers in it"
	case errors.As(err, &unknown) && unknown.Sender:
		return "; mesh register --node " + unknown.Name
	case gateway && errors.Is(err, http.ErrSchemeMismatch):
		return " (use http:// in MESH_GATEWAY_URL or --gateway-url)"
	case errors.Is(err, client.ErrNoSuchPath):
		return " (MESH_GATEWAY_URL or --gateway-url, which usually ends in /gateway)"
	case gateway && errors.As(err, &dial) && dial.Op == "dial":
		return " (check MESH_GATEWAY_URL or --gateway-url, and whether the gateway runs)"
	default:
		return KeyAdvice(err)
	}
}

// KeyAdvice returns advice if the caller's idempotency key has been used, or "".
func KeyAdvice(err error) string {
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) && failed.StatusCode == http.StatusConflict && !failed.Uncertain && failed.Path == "/messages" {
		return "; the key belongs to another message, so use a new one"
	}
	return ""
}

// ValueError field -> argument, flag or variable
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
	"Spool":              "--spool",
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
