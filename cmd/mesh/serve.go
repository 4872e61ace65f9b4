package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
)

func newServe(a *app) *cobra.Command {
	var url string
	var opts client.ServeOptions
	cmd := &cobra.Command{
		Use:   "serve [flags] -- COMMAND [ARG...]",
		Short: "Run a command for each message; what it prints is the answer",
		Long: `Serve registers the own node and runs COMMAND for each unread message.

COMMAND has the message as JSON on its stdin, and MESH_MESSAGE_ID, MESH_FROM, MESH_KIND and MESH_THREAD_ID in its
environment. When its exit status is 0, what it printed is sent as the answer, unless that is blank, and the message is
marked read. With another status it runs again later, with growing pauses; after --max-attempts the message stays unread.
It may see a message again after a crash.

An interrupt ends serve when the commands under way have ended; a second one kills them.`,
		Example: "  mesh serve -- ./answer.sh\n  mesh serve --workers 4 -- python3 agent.py",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, command []string) error {
			return a.serve(cmd.Context(), command, url, opts)
		},
	}
	cmd.Flags().SetInterspersed(false) // the flags behind COMMAND are its own
	cmd.Flags().StringVar(&url, "url", "", "network URL of the node (default the registered one, else http://NODE:8787)")
	cmd.Flags().IntVar(&opts.Workers, "workers", 1, "how many commands may run at the same time")
	cmd.Flags().IntVar(&opts.MaxAttempts, "max-attempts", 5, "how often a command runs for a message before it stays unread")
	return cmd
}

func (a *app) serve(ctx context.Context, command []string, url string, opts client.ServeOptions) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	killed, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	context.AfterFunc(ctx, func() {
		again, stop := untilInterrupted(killed)
		defer stop()
		fmt.Fprintln(a.errs, "mesh: ending with the commands under way; ^C again kills them")
		<-again.Done()
		kill()
	})
	req := registration(ctx, c, url)
	w := &worker{client: c, command: command, errs: a.errs, killed: killed}
	if err := w.check(); err != nil {
		return err
	}
	opts.Register, opts.OnError, opts.Watch.IdleInterval = &req, a.serveError, idleInterval
	a.progress.stop()
	fmt.Fprintf(a.errs, "mesh: serving %s as %s; ^C ends it\n", oneLine(command[0]), c.Node())
	if err := c.Serve(ctx, w.handle, opts); err != nil {
		return err
	}
	if killed.Err() != nil {
		return failedf("interrupted again: the commands under way were killed, and their messages stay unread")
	}
	return nil
}

// serveError reports what Serve survives. A message with an id is one that was given up.
func (a *app) serveError(m client.MeshMessage, err error) {
	text := explain(err)
	if m.ID != 0 {
		text = fmt.Sprintf("message %d from %s: %s", m.ID, m.FromNode, text)
	}
	_, _ = io.WriteString(a.errs, "mesh: warning: "+printable(text)+"\n")
}
