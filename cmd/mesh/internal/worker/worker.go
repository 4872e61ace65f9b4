// Package worker runs a command for each message of an inbox, for mesh serve.
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
	// Command is a program, which LookPath finds, and its arguments.
	Command, Env []string
	// Stderr gets what the commands write to theirs.
	Stderr io.Writer
	// Killed ends when the commands that run are to be killed.
	Killed context.Context
}

// LookPath is [exec.LookPath] for the first word of a command line. Its error shows no value of a variable: in a shell a command may
// begin with NAME=VALUE, and the value may be a key.
func LookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if variable, _, assigned := strings.Cut(name, "="); err != nil && assigned {
		return "", fmt.Errorf("the command begins with a variable; it must be env %s=VALUE COMMAND", variable)
	}
	return path, err
}

// Answer runs the command for a message and returns what it prints. An answer to an answer would be answered again: two workers would
// never stop. Its context does not end the command: an interrupted Serve waits for its handlers.
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

// checkSender returns an error if the sender of a question cannot receive the answer: the command may cost money. It checks no other
// kind of message, since those need no answer. After a ValueError Serve gives the message up. A sender that is not registered is
// looked up again by the next attempt, because a gateway that has lost its database gets its nodes back. If the look-up itself
// fails, as on a gateway that is too old for it, there is no error.
func (w *Worker) checkSender(ctx context.Context, m client.MeshMessage) error {
	if m.Kind != client.KindQuestion {
		return nil
	}
	var unknown *client.NotInRegistryError
	var invalid *client.ValueError // no name of a node
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

// pipeDelay is how long programs that a command has left behind may hold its output open.
const pipeDelay = 5 * time.Second

// run runs the command and returns what it prints. The command is in a process group of its own, so that an interrupt of the
// terminal does not end it.
func (w *Worker) run(ctx context.Context, m client.MeshMessage) (string, error) {
	input, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	var out output
	cmd := exec.CommandContext(w.Killed, w.Command[0], w.Command[1:]...) //nolint:gosec,contextcheck // the user names the command, and the context of a handler does not end it
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(append(input, '\n')), &out, w.Stderr, pipeDelay
	cmd.Env = append(slices.Clone(w.Env), "MESH_MESSAGE_ID="+strconv.FormatInt(m.ID, 10),
		"MESH_FROM="+m.FromNode, "MESH_KIND="+string(m.Kind), "MESH_THREAD_ID="+m.GetThreadID(),
		"MESH_THREAD="+agent.Conversation(ctx))
	separate(cmd)
	defer endWithParent(cmd)()
	switch err := cmd.Run(); {
	case out.full:
		return "", errFull // and not the broken pipe that it causes
	case errors.Is(err, exec.ErrWaitDelay):
		return out.text.String(), nil // the command itself has ended well
	default:
		return out.text.String(), err
	}
}

// maxOutput bounds what a command may print, in bytes: an answer has at most 200,000 characters of up to four bytes.
const maxOutput = 1 << 20

var errFull = fmt.Errorf("it printed more than %d bytes; an answer has at most 200000 characters", maxOutput)

// output collects what a command prints. A command that prints too much gets a broken pipe.
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
