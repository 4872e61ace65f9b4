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

// WithoutPath returns the cause of an error of a file, for a message that names the file.
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

// FileError returns an error of a file in the words of this command.
func FileError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", name, WithoutPath(err))
	}
	return err
}

// Lines returns the text of [Explain] of each error that errors.Join has joined, each in one line: a name in it must not begin another one.
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

// Explain returns the text of an error and what to do next. The field of a ValueError becomes its name on the command line. Credentials
// are redacted: one may have been given in the wrong place of the command line.
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

// Redact returns a text of an error or a log without credentials. A live token is that of the environment: package client redacts its own.
func Redact(text string) string {
	return scan.New(scan.WithExtendedRules(), scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN"))).Redact(text)
}

// advice returns what the flags and variables of the command can do about an error.
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
		return "; mesh threads ID shows the messages of a thread, and mesh send --thread answers in one"
	case errors.As(err, &unknown) && unknown.Sender:
		return "; mesh register --node " + unknown.Name
	case gateway && errors.Is(err, http.ErrSchemeMismatch):
		return " (use http:// in MESH_GATEWAY_URL or --gateway-url)"
	case errors.Is(err, client.ErrNoSuchPath):
		return " (MESH_GATEWAY_URL or --gateway-url, which usually ends in /gateway)"
	case gateway && errors.As(err, &dial) && dial.Op == "dial":
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
