// Package ask is mesh ask: a question to nodes, and their answers.
package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
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
)

// Options are the flags of mesh ask.
type Options struct {
	*app.App // its arguments are the nodes and the text
	timeout  time.Duration
	thread   string
	plain    bool
}

// New returns the command mesh ask.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "ask NODE... TEXT|-",
		Short: "Ask nodes a question, wait for their answers and mark them read; - reads the text from stdin",
		Long: `Ask sends TEXT as a question to each NODE, in a new thread, and prints each answer when it arrives. The nodes have to reply in
the thread of the question, as mesh reply and mesh serve do. This node has to be registered. On a terminal an answer
is printed as "node-b: text"; --wide adds its id, time and thread.

The exit status is 0 if all nodes have answered, 1 if an answer is missing, and 4 if the question contains a credential, or
this node or every NODE is not registered. After the timeout the question remains, and an answer that arrives later stays unread: mesh pending lists the questions
without an answer. With -o json each answer is one line. With --plain, which takes one NODE, only the text of the answer is printed, as in
a=$(mesh ask --plain node-b "Is the build green?"); errors are on stderr.

With --thread the question is asked in that thread. A command of mesh serve asks in the thread of its message without the flag. In such a
thread a question has a number, which mesh reply and mesh serve repeat, so that each question gets its own answer.`,
		Example: `  mesh ask node-b "Is the build green?"
  mesh ask --timeout 5m node-b node-c node-d "Are you ready?" -o json
  mesh ask node-b - < question.txt`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: o.CompleteNode,
		RunE:              o.AsNode(o.run),
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Minute, "how long to wait for the answers")
	cmd.Flags().BoolVar(&o.plain, "plain", false, "print the text of the answer alone")
	cmd.Flags().StringVar(&o.thread, "thread", "", "name or id of a thread to ask in; a new name creates a thread")
	o.RulesFlag(cmd)
	return app.WithText(cmd, 1)
}

// run asks the nodes and prints their answers.
func (o *Options) run(ctx context.Context) error {
	last := len(o.Args) - 1
	nodes := o.Args[:last]
	switch {
	case o.timeout <= 0:
		return exit.Usagef("--timeout must be positive")
	case o.plain && len(nodes) > 1:
		return exit.Usagef("--plain takes one NODE")
	}
	text, err := o.Text(o.Args[last])
	if err != nil {
		return err
	}
	scanner, err := o.MessageScanner()
	if err != nil {
		return err
	}
	thread, err := mail.AskThread(ctx, o.Client, scanner, nodes, text, o.thread)
	if err != nil {
		return err
	}
	interrupted, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(interrupted, stop) // a second ^C kills
	ctx, cancel := context.WithTimeout(interrupted, o.timeout)
	defer cancel()
	begin, waiting := time.Now(), slices.Clone(nodes)
	wait := func() {
		text := waitText(waiting)
		o.Progress.Waiting(func() string {
			return fmt.Sprintf("%s, %s of %s", text, time.Since(begin).Truncate(time.Second), o.timeout)
		})
	}
	wait()
	sent, missing := false, []error(nil)
	for m, err := range agent.AskAll(ctx, o.Client, nodes, client.SendRequest{Content: text, ThreadID: thread}) {
		var none *agent.NoAnswerError
		switch {
		case err == nil:
			sent = true
			waiting = slices.DeleteFunc(waiting, func(node string) bool { return node == m.FromNode })
			if err := o.PrintLine(m, func(w io.Writer) error { return o.show(w, m) }); err != nil {
				return err
			}
		case errors.As(err, &none):
			sent = sent || none.Question.ID != 0
			missing = append(missing, unanswered(none, o.timeout))
			waiting = slices.DeleteFunc(waiting, func(node string) bool { return node == none.Question.ToNode })
		default:
			return err
		}
		if len(waiting) > 0 {
			wait()
		}
	}
	o.Progress.Stop()
	err = o.reportMissing(missing, sent || interrupted.Err() != nil)
	if interrupted.Err() != nil {
		return exit.StatusError(exit.Interrupted)
	}
	return err
}

// waitText names up to three nodes.
func waitText(nodes []string) string {
	const most = 3
	if more := len(nodes) - most; more > 0 {
		return fmt.Sprintf("waiting for %s and %d more", strings.Join(nodes[:most], ", "), more)
	}
	return "waiting for " + strings.Join(nodes, ", ")
}

// show prints an answer. Programs, and people with --wide, get the header, too.
func (o *Options) show(w io.Writer, m client.MeshMessage) error {
	switch {
	case o.plain:
		return plainMessage(w, m)
	case output.Width(w) > 0 && !o.Wide:
		return shortMessage(w, m, output.Width(w))
	}
	return mail.Full(w, m)
}

// shortMessage prints an answer as "node: text". The name is bold and further lines are indented: no text passes for another answer.
func shortMessage(w io.Writer, m client.MeshMessage, width int) error {
	name := mail.ShownNode(m.FromNode) + ":"
	text := output.Wrap(name+" "+output.Lines(m.GetContent()), mail.Indent, width)
	_, err := fmt.Fprintln(w, output.Heading(w, name)+strings.TrimPrefix(text, name))
	return err
}

// plainMessage prints the content of a message: for a program exactly, and on a terminal without control characters.
func plainMessage(w io.Writer, m client.MeshMessage) error {
	text := m.GetContent()
	if output.Width(w) > 0 {
		text = output.Lines(text)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// unanswered returns the error of an answer that is missing.
func unanswered(none *agent.NoAnswerError, timeout time.Duration) error {
	question := none.Question
	switch {
	case question.ID == 0:
		return none.Err
	case errors.Is(none, context.DeadlineExceeded):
		return fmt.Errorf("%s has not answered question %d within %s", question.ToNode, question.ID, timeout)
	case errors.Is(none, context.Canceled):
		return fmt.Errorf("%s has not answered question %d", question.ToNode, question.ID)
	}
	return none
}

// reportMissing prints which answers are missing, and returns the error of the command.
func (o *Options) reportMissing(missing []error, sent bool) error {
	missing = slices.CompactFunc(missing, func(a, b error) bool { return a.Error() == b.Error() }) // a credential refuses all of them
	for i, err := range missing {
		if !sent && i == len(missing)-1 {
			return err // the command prints it
		}
		o.Warn(err)
	}
	if len(missing) > 0 {
		return exit.ErrFound
	}
	return nil
}
