package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
)

func newServe(a *app) *cobra.Command {
	var url string
	var opts client.ServeOptions
	cmd := &cobra.Command{
		Use:   "serve [flags] -- COMMAND [ARG...]",
		Short: "Run a command for each message and send its output as the answer",
		Long: `Serve registers this node and runs COMMAND for each unread message.

COMMAND receives the message as a line of JSON on stdin, and MESH_MESSAGE_ID, MESH_FROM, MESH_KIND and MESH_THREAD_ID in its
environment. If its exit status is 0, its output is sent as the answer, unless it is blank, and the message is marked read.
With any other status, or with more output than a message can hold, it runs again later, with growing pauses; after
--max-attempts runs the message stays unread. After a crash it may receive a message again.

COMMAND has no time limit; use timeout 60 COMMAND to set one. A background process of COMMAND has five seconds to close the
output. COMMAND inherits the environment, including MESH_GATEWAY_TOKEN; with --token-file it does not receive the token.

An interrupt ends serve after the running commands have ended; a second interrupt kills them, and so does a hangup of the
terminal, unless serve runs under nohup.`,
		Example: "  mesh serve -- ./answer.sh\n  mesh serve --workers 4 -- timeout 60 python3 agent.py",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: a.asNode(func(ctx context.Context, c *client.MeshClient, command []string) error {
			return a.serve(ctx, c, command, url, opts)
		}),
	}
	cmd.Flags().SetInterspersed(false) // the flags behind COMMAND are its own
	cmd.Flags().StringVar(&url, "url", "", "network URL of the node (default the registered one, else http://NODE:8787)")
	cmd.Flags().IntVar(&opts.Workers, "workers", 1, "maximum number of commands that run at the same time")
	cmd.Flags().IntVar(&opts.MaxAttempts, "max-attempts", 5, "maximum number of runs of the command for one message")
	return cmd
}

func (a *app) serve(ctx context.Context, c *client.MeshClient, command []string, url string, opts client.ServeOptions) error {
	if err := a.checkNames(name{"--url", url}); err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	killed, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	defer onHangup(kill)()
	w, err := worker.New(killed, c, command, a.environment(), a.errs)
	if err != nil {
		return &usageError{err}
	}
	defer context.AfterFunc(ctx, func() {
		again, stop := untilInterrupted(killed)
		defer stop()
		fmt.Fprintln(a.errs, "mesh: ending with the commands under way; ^C again kills them")
		<-again.Done()
		kill()
	})() // runs before stop, which would count as an interrupt
	opts.OnError, opts.Watch.IdleInterval = a.serveError, idleInterval
	a.progress.Stop()
	fmt.Fprintf(a.errs, "mesh: serving %s as %s; ^C ends it\n", output.Line(command[0]), c.Node())
	if opts.Register, err = a.awaitRegistration(ctx, c, url); err != nil {
		return err
	}
	if err := c.Serve(ctx, w.Handle, opts); err != nil {
		return err
	}
	if killed.Err() != nil {
		return failedf("the running commands were killed, and their messages stay unread")
	}
	return nil
}

// awaitRegistration is [registration], repeated while the gateway cannot be reached, with pauses that double up to a minute as
// those of Serve. It returns nil when ctx ends first.
func (a *app) awaitRegistration(ctx context.Context, c *client.MeshClient, url string) (*client.RegisterRequest, error) {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		req, err := registration(ctx, c, url)
		var failed *client.MeshGatewayError
		switch {
		case ctx.Err() != nil:
			return nil, nil //nolint:nilnil,nilerr // interrupted: there is nothing to register
		case err == nil:
			return &req, nil
		case !errors.As(err, &failed) || failed.StatusCode != 0 && failed.StatusCode < http.StatusInternalServerError:
			return nil, err
		}
		a.warn(err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// environment returns the environment of the commands. With --token-file they have no token.
func (a *app) environment() []string {
	env := os.Environ()
	if a.tokenFile == "" {
		return env
	}
	return slices.DeleteFunc(env, func(variable string) bool { return strings.HasPrefix(variable, "MESH_GATEWAY_TOKEN=") })
}

// serveError reports what Serve survives. A message with an id is one that was given up.
func (a *app) serveError(m client.MeshMessage, err error) {
	if m.ID != 0 {
		err = fmt.Errorf("message %d from %s: %w", m.ID, m.FromNode, err)
	}
	a.warn(err)
}
