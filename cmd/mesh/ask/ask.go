// Package ask implements mesh ask.
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

// Options holds the flags of mesh ask.
type Options struct {
	*app.App // its arguments are the nodes and the text
	timeout  time.Duration
	thread   string
	plain    bool
}

// New returns the mesh ask command.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "ask NODE... TEXT|-",
		Short: "Ask nodes a question and wait for answers",
		Long: `Ask sends TEXT (or stdin, for -) as a question to each NODE, in a new thread. It prints each answer when it arrives and marks it
read. Nodes answer in the question's thread, as mesh reply and mesh serve do. This node must be registered.

On a terminal, an answer is printed as "node-b: text"; --wide adds its id, time and thread. With -o json each answer is one line. With
--plain and one NODE, only the answer's text is printed, for scripts:

  a=$(mesh ask --plain node-b "Is the build green?")

The exit status is 0 if every node has answered, 1 if an answer is missing, and 4 if the question contains a credential, or if this node
or every NODE isn't registered. After the timeout, answers stay unread when they arrive; mesh pending lists unanswered questions.

With --thread, or in a command of mesh serve, ask uses an existing thread. There each question has a number, which mesh reply and
mesh serve repeat, so that each question gets its own answer.`,
		Example: `  mesh ask node-b "Is the build green?"
  mesh ask --timeout 5m node-b node-c node-d "Are you ready?" -o json
  mesh ask node-b - < question.txt`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: o.CompleteNode,
		RunE:              o.AsNode(o.run),
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Minute, "maximum wait for answers")
	cmd.Flags().BoolVar(&o.plain, "plain", false, "print only the answer's text")
	cmd.Flags().StringVar(&o.thread, "thread", "", "thread to ask in, by name or id; a new name creates it")
	o.RulesFlag(cmd)
	return app.WithText(cmd, 1)
}

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

// show prints an answer, with the header for programs and for --wide.
func (o *Options) show(w io.Writer, m client.MeshMessage) error {
	switch {
	case o.plain:
		return plainMessage(w, m)
	case output.Width(w) > 0 && !o.Wide:
		return shortMessage(w, m, output.Width(w))
	}
	return mail.Full(w, m)
}

// shortMessage prints "node: text" with a bold name and further lines indented, so that
// no text can pass for another answer.
func shortMessage(w io.Writer, m client.MeshMessage, width int) error {
	name := mail.ShownNode(m.FromNode) + ":"
	text := output.Wrap(name+" "+output.Lines(m.GetContent()), mail.Indent, width)
	_, err := fmt.Fprintln(w, output.Heading(w, name)+strings.TrimPrefix(text, name))
	return err
}

// plainMessage prints the exact content, or without control characters on a terminal.
func plainMessage(w io.Writer, m client.MeshMessage) error {
	text := m.GetContent()
	if output.Width(w) > 0 {
		text = output.Lines(text)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func unanswered(none *agent.NoAnswerError, timeout time.Duration) error {
	question := none.Question
	switch {
	case question.ID == 0 && !errors.Is(none, context.DeadlineExceeded) && !errors.Is(none, context.Canceled):
		return none.Err
	case question.ID == 0:
		return none
	case errors.Is(none, context.DeadlineExceeded):
		return fmt.Errorf("%s has not answered question %d within %s", question.ToNode, question.ID, timeout)
	case errors.Is(none, context.Canceled):
		return fmt.Errorf("%s has not answered question %d", question.ToNode, question.ID)
	}
	return none
}

// reportMissing warns about missing answers, and returns the command's error.
func (o *Options) reportMissing(missing []error, sent bool) error {
	missing = slices.CompactFunc(missing, func(a, b error) bool { return a.Error() == b.Error() }) // a credential fails each the same way
	for i, err := range missing {
		if !sent && i == len(missing)-1 {
			return err // mesh prints it
		}
		o.Warn(err)
	}
	if len(missing) > 0 {
		return exit.ErrFound
	}
	return nil
}
