// Package worker runs a command for each message, for mesh serve.
package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

// Worker runs one command for each message.
type Worker struct {
	Client *client.MeshClient
	// Command is a program, resolved by [LookPath], and its arguments.
	Command, Env []string
	// Stderr receives the commands' stderr.
	Stderr io.Writer
	// Killed kills running commands when it's canceled.
	Killed context.Context
}

// LookPath is [exec.LookPath], but if a user writes NAME=VALUE COMMAND as in a shell, the
// error doesn't show the value: it may be a key.
func LookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if variable, _, assigned := strings.Cut(name, "="); err != nil && assigned {
		return "", fmt.Errorf("the command starts with a variable; use env %s=VALUE COMMAND", variable)
	}
	return path, err
}

// Answer runs the command for a message and returns its output. ctx doesn't end the
// command: an interrupted Serve waits for its handlers.
func (w *Worker) Answer(ctx context.Context, m client.MeshMessage) (string, error) {
	if err := w.checkSender(ctx, m); err != nil {
		return "", err
	}
	printed, err := w.run(ctx, m)
	if err != nil {
		return "", fmt.Errorf("%s: %w", w.Command[0], err)
	}
	return strings.TrimSpace(printed), nil
}

// checkSender refuses a question whose sender can't receive the answer, before the
// command costs money. Serve gives up after a ValueError. It retries after a
// NotInRegistryError, since nodes return after a gateway has lost its database. A failed
// lookup is ignored: old gateways don't support it.
func (w *Worker) checkSender(ctx context.Context, m client.MeshMessage) error {
	if m.Kind != client.KindQuestion {
		return nil
	}
	var unknown *client.NotInRegistryError
	var invalid *client.ValueError // not a valid node name
	peer, err := w.Client.GetPeer(ctx, m.FromNode)
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("%s was not run: %w", w.Command[0], err)
	case errors.As(err, &invalid), err == nil && !peer.Enabled:
		return &client.ValueError{
			Field: "the sender", Reason: "is disabled or has an invalid name, and cannot receive an answer; " + w.Command[0] + " was not run",
		}
	default:
		return nil
	}
}

// pipeDelay is how long a command's leftover children may hold its output open.
const pipeDelay = 5 * time.Second

// run uses a separate process group, so that ^C doesn't reach the command.
func (w *Worker) run(ctx context.Context, m client.MeshMessage) (string, error) {
	input, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	var out output
	cmd := exec.CommandContext(w.Killed, w.Command[0], w.Command[1:]...) //nolint:gosec,contextcheck // the user names the command, and ctx must not end it
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(append(input, '\n')), &out, w.Stderr, pipeDelay
	cmd.Env = append(slices.Clone(w.Env), "MESH_MESSAGE_ID="+strconv.FormatInt(m.ID, 10),
		"MESH_FROM="+m.FromNode, "MESH_KIND="+string(m.Kind), "MESH_THREAD_ID="+m.GetThreadID(),
		"MESH_THREAD="+agent.Conversation(ctx))
	separate(cmd)
	defer endWithParent(cmd)()
	switch err := cmd.Run(); {
	case out.full:
		return "", errFull // it causes a broken pipe, too
	case errors.Is(err, exec.ErrWaitDelay):
		return out.text.String(), nil // the command itself succeeded
	default:
		return out.text.String(), err
	}
}

// maxOutput is in bytes: an answer has at most 200,000 characters, up to four bytes each.
const maxOutput = 1 << 20

var errFull = fmt.Errorf("printed more than %d bytes; an answer has at most 200000 characters", maxOutput)

// output fails writes beyond maxOutput, which gives the command a broken pipe.
type output struct {
	text bytes.Buffer
	full bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.text.Len()+len(p) > maxOutput {
		o.full = true
		return 0, errFull
	}
	return o.text.Write(p)
}
