package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// worker runs one command for each message.
type worker struct {
	client  *client.MeshClient
	command []string
	errs    io.Writer
	killed  context.Context // ends with the second interrupt
}

// check reports whether the command exists, before a message fails because of it.
func (w *worker) check() error {
	if _, err := exec.LookPath(w.command[0]); err != nil {
		return &usageError{err}
	}
	return nil
}

// pipeDelay is how long the output of a command that has ended may be held open by programs that it has started.
const pipeDelay = 5 * time.Second

// handle runs the command for a message and sends what it prints as the answer. The context of a handler does not end with
// the first interrupt, and the command is in a process group of its own, so that an interrupt of the terminal does not end it.
func (w *worker) handle(ctx context.Context, m client.MeshMessage) error {
	input, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var answer bytes.Buffer
	cmd := exec.CommandContext(w.killed, w.command[0], w.command[1:]...) //nolint:gosec,contextcheck // the user names the command; see above
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(input), &answer, w.errs, pipeDelay
	cmd.Env = append(os.Environ(), "MESH_MESSAGE_ID="+strconv.FormatInt(m.ID, 10),
		"MESH_FROM="+m.FromNode, "MESH_KIND="+string(m.Kind), "MESH_THREAD_ID="+m.GetThreadID())
	separate(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", w.command[0], err)
	}
	text := strings.TrimSpace(answer.String())
	if text == "" {
		return nil
	}
	_, err = w.client.Reply(ctx, m, client.KindAnswer, text)
	return err
}
