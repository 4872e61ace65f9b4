// Package messages implements mesh send, reply, inbox, read, sent, pending and threads.
package messages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/scan"
)

type sendOptions struct {
	*app.App
	client.SendRequest
	thread string
}

// NewSend returns the mesh send command.
func NewSend(a *app.App) *cobra.Command {
	o := &sendOptions{App: a}
	cmd := &cobra.Command{
		Use:   "send TO KIND TEXT|-",
		Short: "Send a message",
		Long:  `KIND is fyi, question, answer, status or unblock. If TEXT is -, it is read from stdin.`,
		Example: `  mesh send node-b question "Is the build green?"
  mesh send node-b fyi --thread builds - < report.txt
  mesh send node-b fyi "-5 degrees"`,
		Args:              cobra.ExactArgs(3),
		ValidArgsFunction: app.CompleteArgs(a.CompleteNode, app.CompleteKind),
		RunE:              a.AsNode(o.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.thread, "thread", "", "thread name or id; a new name creates it")
	flags.StringVar(&o.RelatedTaskID, "task", "", "number of a related task")
	flags.StringVar(&o.IdempotencyKey, "key", "", "idempotency key: the same message arrives once")
	flags.IntSliceVar(&o.AllowRules, "allow-rule", nil, "number of a scan rule that may match (repeatable)")
	o.RulesFlag(cmd)
	return app.WithText(cmd, 2)
}

func (o *sendOptions) run(ctx context.Context) (err error) {
	o.To, o.Kind = o.Args[0], client.Kind(o.Args[1])
	if o.Content, err = o.Text(o.Args[2]); err != nil {
		return err
	}
	scanner, err := o.MessageScanner()
	if err = cmp.Or(err, checkNumbers(scanner, o.SendRequest)); err != nil {
		return err
	}
	receipt, err := mail.Send(ctx, o.Client, scanner, o.SendRequest, o.thread)
	return printReceipt(ctx, o.App, receipt, err)
}

// checkNumbers checks --task and --allow-rule. A gateway refuses a task that isn't a
// number; an unknown rule would have no effect.
func checkNumbers(scanner *scan.Scanner, req client.SendRequest) error {
	if err := mail.CheckName(scanner, "the task", req.RelatedTaskID); err != nil {
		return err
	}
	if _, err := strconv.ParseInt(req.RelatedTaskID, 10, 64); err != nil && req.RelatedTaskID != "" {
		return exit.Usagef("--task must be a whole number of at most 64 bits")
	}
	return app.CheckRules(req.AllowRules)
}

// printReceipt also warns if this node can't receive an answer.
func printReceipt(ctx context.Context, a *app.App, receipt *client.MeshMessage, err error) error {
	if err != nil {
		return err
	}
	text := fmt.Sprintf("sent message %d to %s", receipt.ID, receipt.ToNode)
	if receipt.GetThreadID() != "" {
		text += ", thread " + receipt.GetThreadID()
	}
	if err := a.Print(receipt, output.Fixed(output.Line(text)+"\n")); err != nil {
		return err
	}
	a.WarnUnregistered(ctx, "cannot receive answers")
	return nil
}

type replyOptions struct {
	*app.App
	read bool
}

// NewReply returns the mesh reply command.
func NewReply(a *app.App) *cobra.Command {
	o := &replyOptions{App: a}
	cmd := &cobra.Command{
		Use:               "reply ID KIND TEXT|-",
		Short:             "Reply to a message in its thread",
		Long:              "If TEXT is -, it is read from stdin. If you repeat the same reply, it arrives once.",
		Example:           "  mesh reply 17 answer \"Yes.\"\n  mesh reply 17 answer --read - < report.txt",
		Args:              cobra.ExactArgs(3),
		ValidArgsFunction: app.CompleteArgs(a.CompleteMessage, app.CompleteKind),
		RunE:              a.AsNode(o.run),
	}
	cmd.Flags().BoolVar(&o.read, "read", false, "also mark the message read")
	o.RulesFlag(cmd)
	return app.WithText(cmd, 2)
}

func (o *replyOptions) run(ctx context.Context) error {
	ids, err := messageIDs(o.Args[:1])
	if err != nil {
		return err
	}
	text, err := o.Text(o.Args[2])
	if err != nil {
		return err
	}
	m, err := agent.GetMessage(ctx, o.Client, ids[0])
	if err != nil {
		return err
	}
	receipt, err := o.Client.Reply(ctx, *m, client.SendRequest{Kind: client.Kind(o.Args[1]), Content: text})
	var unknown *client.NotInRegistryError
	if errors.As(err, &unknown) {
		err = fmt.Errorf("the sender of message %d cannot receive answers: %w", m.ID, err)
	}
	if err := printReceipt(ctx, o.App, receipt, err); err != nil || !o.read || m.ReadAt != nil {
		return err
	}
	if err := o.Client.MarkRead(ctx, m.ID); err != nil {
		return fmt.Errorf("reply sent, but message not marked read: %w", err)
	}
	return nil
}
