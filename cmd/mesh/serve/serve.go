// Package serve implements mesh serve, which answers questions with a command.
package serve

import (
	"context"
	"fmt"
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
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
)

// Options holds the flags of mesh serve.
type Options struct {
	*app.App // its arguments are the command

	url, giveUp, spool   string
	kinds                []string
	workers, maxAttempts int
	allowRules           []int
	interval, share      time.Duration
}

// New returns the mesh serve command.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "serve [flags] -- COMMAND [ARG...]",
		Short: "Run a command for each question and send its output as the answer",
		Long: `Serve registers this node, runs COMMAND for each unread question and sends its output as the answer.

COMMAND gets the message on stdin, as one line of JSON. These fields are always there, null if unused, followed by any others that
mesh inbox -o json prints:

  id, from_node, to_node, kind, content, created_at, related_task_id, thread_id

The environment has MESH_MESSAGE_ID, MESH_FROM, MESH_KIND, MESH_THREAD_ID and MESH_THREAD. MESH_THREAD is the thread's name, or empty if
the thread holds just this question. If COMMAND runs mesh ask, it asks in the same thread.

Exit status: If COMMAND exits with 0, serve sends the output, unless it's only white space, and marks the message read. If COMMAND fails
or prints more than 1 MiB, serve runs it again later. After --max-attempts runs it gives up and leaves the message unread, or marks it
read with --give-up mark. A restarted serve tries unread messages again. A line on stderr reports every message and failure.

Outages and crashes: Serve keeps a finished answer and retries delivering it, at most --max-attempts times. While the gateway is
unreachable, serve starts no commands, and failed deliveries don't count. After the gateway restarts, serve registers the node again
within a minute. If serve crashes, COMMAND can run twice for a message; the sender still gets one answer.

Without --spool, answers that aren't delivered when serve ends are lost, and COMMAND runs again next time. With --spool, serve keeps
them in a directory and delivers them after a restart, even after a crash. The directory must be yours, and not writable by
others. If you interrupt serve during an outage and an answer isn't delivered, it exits with 3.

Several servers: By default, each server for a node runs COMMAND for every message. With --share 60s on all of them, each message goes
to one server, and another takes over once that one has been silent for 60 seconds. Choose a time longer than a restart. The gateway
must support idempotency keys.

What is answered: Serve skips questions from nodes that aren't registered or enabled, since they can't receive answers, and checks again
on each attempt. --kind adds other kinds, from any sender, but two nodes that answer each other's answers never stop. Messages that this
node sent to itself are marked read. If an answer contains a credential or is otherwise invalid, the sender is told so instead;
--allow-rule ignores a rule of mesh scan.

Time limits, tokens and signals: COMMAND has no time limit, so use timeout 60 COMMAND. Its background processes have five seconds to
close the output. It inherits the environment, plus serve's MESH_NODE, MESH_GATEWAY_URL and token, as MESH_GATEWAY_TOKEN, or as
MESH_TOKEN_FILE if the token is in a file. A token read from a pipe isn't passed on.

Interrupt serve once to finish the running commands, and again after a second to kill them. Closing the terminal kills them too, unless
you use nohup. On Linux, COMMAND gets SIGTERM if serve itself is killed.`,
		Example: "  mesh serve -- ./answer.sh\n  mesh serve --workers 4 -- timeout 60 python3 agent.py",
		Args:    cobra.MinimumNArgs(1),
		RunE:    o.AsNode(o.run),
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // flags after COMMAND belong to it
	flags.StringVar(&o.url, "url", "", "`URL` to register (default unchanged, or http://NODE:8787)")
	flags.StringSliceVar(&o.kinds, "kind", []string{string(client.KindQuestion)}, "`KIND` to answer, or all; repeatable")
	flags.IntVar(&o.workers, "workers", 1, "maximum `N` of concurrent commands")
	flags.IntVar(&o.maxAttempts, "max-attempts", 5, "run COMMAND and deliver its answer at most `N` times")
	flags.DurationVar(&o.interval, "interval", 0, "polling `INTERVAL` (default 1s after a message, growing to 5s)")
	flags.DurationVar(&o.share, "share", 0, "share messages with servers that take over after this `SILENCE`")
	flags.StringVar(&o.spool, "spool", "", "`DIR` that keeps finished answers until they are delivered")
	flags.StringVar(&o.giveUp, "give-up", leaveUnread, "`ACTION` after the last try: mark or leave it")
	flags.IntSliceVar(&o.allowRules, "allow-rule", nil, "scan rule to ignore in answers; repeatable")
	o.RulesFlag(cmd)
	app.Complete(cmd, "kind", cobra.FixedCompletions(append(slices.Clone(mail.Kinds), allKinds), cobra.ShellCompDirectiveNoFileComp))
	app.Complete(cmd, "give-up", cobra.FixedCompletions([]string{leaveUnread, markRead}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// Values for --give-up, and the --kind value for all kinds.
const (
	leaveUnread = "leave"
	markRead    = "mark"
	allKinds    = "all"
)

// next says what the next start does about undelivered answers.
func (o *Options) next() string {
	if o.spool == "" {
		return "runs the command again for their questions; --spool keeps answers"
	}
	return "with --spool " + o.spool + " delivers kept answers, and runs the command again for other questions"
}

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
	if o.workers < 1 || o.maxAttempts < 1 { // 0 would be package client's default
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
		return opts, exit.Usagef("--kind must not be empty")
	}
	return opts, nil
}

func (o *Options) run(ctx context.Context) error {
	if err := o.CheckURL(o.url); err != nil {
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
	defer context.AfterFunc(ctx, l.ending)() // runs before stop, which looks like an interrupt
	opts.OnAnswer, opts.OnGiveUp, opts.OnError = l.sent, l.giveUp, l.reportError
	o.Progress.Stop()
	fmt.Fprintf(o.Errs, "mesh: serving as %s: runs %s; ^C ends it\n", o.Client.Node(), shownCommand(o.Args))
	opts.Register = &client.RegisterRequest{URL: o.url}
	if err := agent.Answer(ctx, o.Client, l.answer, opts); err != nil {
		return err
	}
	if n := l.undelivered.Load(); n > 0 {
		return exit.Failedf("%d finished answers not delivered; the next start %s", n, o.next())
	}
	if killed.Err() != nil {
		return exit.Failedf("killed the running commands; their messages stay unread")
	}
	return nil
}

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

// subcommand guards the log, which people keep: other arguments may be secret.
var subcommand = regexp.MustCompile(`^[a-z]{1,12}$`)

// shownCommand returns the program, and its subcommand if it has one.
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
