// Package serve is mesh serve: a command that answers the questions to this node.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/peers"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
)

// Options are the flags of mesh serve.
type Options struct {
	*app.App // its arguments are the command

	url, giveUp, spool   string
	kinds                []string
	workers, maxAttempts int
	allowRules           []int
	interval, share      time.Duration
}

// New returns the command mesh serve.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "serve [flags] -- COMMAND [ARG...]",
		Short: "Run a command for each question and send its output as the answer",
		Long: `Serve registers this node and runs COMMAND for each unread question. With --kind it runs for other kinds as well, which stay
unread without it. Two nodes that answer answers exchange messages without end.

COMMAND receives the message as a line of JSON on stdin, and MESH_MESSAGE_ID, MESH_FROM, MESH_KIND, MESH_THREAD_ID and MESH_THREAD in its
environment. MESH_THREAD is the name of the thread, or empty for a thread of a single question. mesh ask in COMMAND asks in it. The fields of the JSON are

  id, from_node, to_node, kind, content, created_at, related_task_id, thread_id

and those that mesh inbox -o json prints as well; a field without a value is null.

If its exit status is 0, its output is sent as the answer, unless it is blank, and the message is marked read. With any other
status, or with more than 1 MiB of output, it runs again later, with growing pauses. After --max-attempts runs the message is given
up: it stays unread, or is marked read with --give-up mark. The next start of serve tries unread messages again. Messages that the
node has sent to itself are marked read.

The output is kept until it is delivered, and COMMAND does not run again for that. With --spool it is also kept in a file of that
folder, which only the owner can read, and the next start with the same folder delivers it first, also if serve was killed. The folder
must be yours, and others must not be able to write to it. A file has the output, and of the message only what the delivery needs. An interrupt during an outage of the gateway ends serve with status 3 if an output
is not delivered: it is in the folder, or without --spool COMMAND runs again at the next start. While the gateway cannot be reached, no COMMAND
starts, and failed deliveries do not count. Otherwise the message is given up after --max-attempts deliveries. After a crash, COMMAND
runs again for a message that is not marked read; if its answer was delivered before, the new one is dropped. An answer that
contains a credential or cannot be a message is not sent: the sender receives an answer that states this. --allow-rule allows a
rule of mesh scan.

COMMAND does not run for a question that cannot be answered, because its sender is not registered or is disabled. Each attempt
looks up again whether the sender is registered. COMMAND runs for messages of other kinds from every sender.

Several serves of one node each run COMMAND for every message. With --share they share the messages: one of them at a time has a message,
and if it is killed, another one takes the message over after that time. All of them need the flag. It must be longer than a restart of
serve, such as 60s. The gateway must recognize idempotency keys.

A line on stderr reports each message that is handled or given up, and each attempt that fails.

After a restart of the gateway the node is registered again within a minute.

COMMAND has no time limit; use timeout 60 COMMAND to set one. A background process of COMMAND has five seconds to close the
output. COMMAND inherits the environment. In it, MESH_NODE, MESH_GATEWAY_URL and the token are those of serve: MESH_GATEWAY_TOKEN, or
with a token of a file only the name of the file, MESH_TOKEN_FILE. COMMAND can read that file. It receives no token of a pipe.

An interrupt ends serve after the running commands have ended; another one after more than a second kills them, and so does a hangup
of the terminal, unless serve runs under nohup. On Linux, COMMAND gets SIGTERM if serve itself is killed.`,
		Example: "  mesh serve -- ./answer.sh\n  mesh serve --workers 4 -- timeout 60 python3 agent.py",
		Args:    cobra.MinimumNArgs(1),
		RunE:    o.AsNode(o.run),
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // the flags behind COMMAND are its own
	flags.StringVar(&o.url, "url", "", "network URL of the node (default the registered one, else http://NODE:8787)")
	flags.StringSliceVar(&o.kinds, "kind", []string{string(client.KindQuestion)}, "kinds of messages to answer, repeatable, or all")
	flags.IntVar(&o.workers, "workers", 1, "maximum number of commands that run at the same time")
	flags.IntVar(&o.maxAttempts, "max-attempts", 5, "maximum number of runs of the command for one message, and of deliveries of its answer")
	flags.DurationVar(&o.interval, "interval", 0, "time between two polls of the inbox (default 1s for two minutes after a message, then growing to 5s)")
	flags.DurationVar(&o.share, "share", 0, "share the messages with other serves of this node; another one takes over the message of a serve that shows no sign of life for this time, such as 60s")
	flags.StringVar(&o.spool, "spool", "", "folder in which finished answers are kept until they are delivered; the next start delivers them first")
	flags.StringVar(&o.giveUp, "give-up", leaveUnread, "what becomes of a message that is given up: leave it unread, or mark it read")
	flags.IntSliceVar(&o.allowRules, "allow-rule", nil, "number of a scan rule that an answer may match (repeatable)")
	o.RulesFlag(cmd)
	app.Complete(cmd, "kind", cobra.FixedCompletions(append(slices.Clone(mail.Kinds), allKinds), cobra.ShellCompDirectiveNoFileComp))
	app.Complete(cmd, "give-up", cobra.FixedCompletions([]string{leaveUnread, markRead}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// The values of --give-up, and the value of --kind that selects every kind.
const (
	leaveUnread = "leave"
	markRead    = "mark"
	allKinds    = "all"
)

// next describes what the next start does about answers that are not delivered.
func (o *Options) next() string {
	if o.spool == "" {
		return "runs the command again for their questions; --spool keeps answers in a folder"
	}
	return "with --spool " + o.spool + " delivers those that are kept, and runs the command again for the others"
}

// options returns the options of Answer.
func (o *Options) options() (agent.AnswerOptions, error) {
	opts := agent.AnswerOptions{
		ServeOptions: agent.ServeOptions{
			Workers: o.workers, MaxAttempts: o.maxAttempts, Lease: o.share, Interval: o.interval,
		},
		AllowRules: o.allowRules, Spool: o.spool,
	}
	if err := app.CheckRules(o.allowRules); err != nil {
		return opts, err
	}
	if o.workers < 1 || o.maxAttempts < 1 { // 0 is the default of package client
		return opts, exit.Usagef("--workers and --max-attempts must be positive")
	}
	if o.giveUp != leaveUnread && o.giveUp != markRead {
		return opts, exit.Usagef("--give-up: %q must be %s or %s", o.giveUp, leaveUnread, markRead)
	}
	if slices.Equal(o.kinds, []string{allKinds}) {
		opts.AllKinds = true
		return opts, nil
	}
	for _, name := range o.kinds {
		if !slices.Contains(mail.Kinds, name) {
			return opts, exit.Usagef("--kind: %q must be %s, or all by itself", name, strings.Join(mail.Kinds, ", "))
		}
		opts.Kinds = append(opts.Kinds, client.Kind(name))
	}
	if opts.Kinds == nil {
		return opts, exit.Usagef("--kind: must not be empty")
	}
	return opts, nil
}

// run answers messages until ctx ends.
func (o *Options) run(ctx context.Context) error {
	if err := cmp.Or(o.CheckName("--url", o.url), peers.CheckURL(o.url)); err != nil {
		return err
	}
	killed, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	ctx, stop := app.UntilInterruptedTwice(ctx, kill)
	defer stop()
	defer onHangup(kill)()
	opts, err := o.options()
	if err != nil {
		return err
	}
	env, err := o.environment()
	if err != nil {
		return err
	}
	if _, err := worker.LookPath(o.Args[0]); err != nil {
		return exit.WrongUse(err)
	}
	w := &worker.Worker{Client: o.Client, Command: o.Args, Env: env, Stderr: o.Errs, Killed: killed}
	l := &serveLog{Options: o, worker: w, ended: ctx, failed: map[served]int{}, givenUp: map[served]bool{}}
	defer context.AfterFunc(ctx, l.ending)() // runs before stop, which would count as an interrupt
	opts.OnAnswer, opts.OnGiveUp, opts.OnError = l.sent, l.giveUp, l.reportError
	o.Progress.Stop()
	fmt.Fprintf(o.Errs, "mesh: serving as %s: runs %s; ^C ends it\n", o.Client.Node(), shownCommand(o.Args))
	if opts.Register, err = o.awaitRegistration(ctx); err != nil {
		return err
	}
	if err := agent.Answer(ctx, o.Client, l.answer, opts); err != nil {
		return err
	}
	if n := l.undelivered.Load(); n > 0 {
		return exit.Failedf("%d finished answers are not delivered; the next start %s", n, o.next())
	}
	if killed.Err() != nil {
		return exit.Failedf("the running commands were killed, and their messages stay unread")
	}
	return nil
}

// awaitRegistration is [registration], repeated while the gateway cannot be reached, with the pauses of Serve. It returns nil when ctx ends
// first.
func (o *Options) awaitRegistration(ctx context.Context) (*client.RegisterRequest, error) {
	for failures := 1; ; failures++ {
		req, err := peers.Registration(ctx, o.Client, o.url)
		var failed *client.MeshGatewayError
		switch {
		case ctx.Err() != nil:
			return nil, nil //nolint:nilnil,nilerr // interrupted: there is nothing to register
		case err == nil:
			return &req, nil
		case !errors.As(err, &failed) || failed.StatusCode != 0 && failed.StatusCode < http.StatusInternalServerError:
			return nil, err
		}
		o.Warn(err)
		select {
		case <-ctx.Done():
		case <-time.After(agent.RetryPause(err, failures)):
		}
	}
}

// environment returns the environment of the commands, which act as this node.
func (o *Options) environment() ([]string, error) {
	s, err := o.Settings()
	if err != nil {
		return nil, err
	}
	token, err := o.Token()
	if err != nil {
		return nil, err
	}
	return s.Environment(os.Environ(), o.Client.Node(), token)
}

// subcommand is the form of a subcommand. Other arguments may be secret, and a log is kept.
var subcommand = regexp.MustCompile(`^[a-z]{1,12}$`)

// shownCommand returns the program and its subcommand.
func shownCommand(command []string) string {
	shown := 1
	if len(command) > 1 && subcommand.MatchString(command[1]) {
		shown = 2
	}
	text := strings.Join(command[:shown], " ")
	if len(command) > shown {
		text += " …"
	}
	return output.Line(text)
}
