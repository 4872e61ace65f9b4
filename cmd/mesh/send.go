package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/scan"
)

func newSend(a *app) *cobra.Command {
	var req client.SendRequest
	var thread string
	cmd := &cobra.Command{
		Use:   "send TO KIND TEXT|-",
		Short: "Send a message; KIND is fyi, question, answer, status or unblock, and - reads the text from stdin",
		Example: `  mesh send node-b question "Is the build green?"
  mesh send node-b fyi --thread builds - < report.txt
  mesh send node-b fyi "-5 degrees"`,
		Args:              args(cobra.ExactArgs(3)),
		ValidArgsFunction: completeArgs(a.completeNode, completeKind),
		RunE: a.asNode(func(ctx context.Context, c *client.MeshClient, given []string) (err error) {
			req.To, req.Kind = given[0], client.Kind(given[1])
			if req.Content, err = a.text(given[2]); err != nil {
				return err
			}
			scanner, err := a.scanner(false)
			if err != nil {
				return err
			}
			if err := checkNumbers(scanner, req); err != nil {
				return err
			}
			if err := a.sent(lookup.Send(ctx, c, scanner, req, thread)); err != nil {
				return err
			}
			a.warnUnregistered(ctx, c, "cannot receive answers")
			return nil
		}),
	}
	cmd.Flags().StringVar(&thread, "thread", "", "name or id of a thread; a new name creates a thread")
	cmd.Flags().StringVar(&req.RelatedTaskID, "task", "", "number of a related task")
	cmd.Flags().StringVar(&req.IdempotencyKey, "key", "", "idempotency key: the same message under the same key arrives once")
	cmd.Flags().IntSliceVar(&req.AllowRules, "allow-rule", nil, "number of a scan rule that may match (repeatable)")
	return withText(cmd, 2)
}

// checkNumbers checks --task and --allow-rule. A gateway refuses a task that is not a number, and an unknown rule has no effect.
func checkNumbers(scanner *scan.Scanner, req client.SendRequest) error {
	if err := lookup.CheckName(scanner, "the task", req.RelatedTaskID); err != nil {
		return err
	}
	if _, err := strconv.ParseInt(req.RelatedTaskID, 10, 64); err != nil && req.RelatedTaskID != "" {
		return usagef("--task must be a whole number of at most 64 bits")
	}
	return checkRules(req.AllowRules)
}

// checkRules checks --allow-rule. An unknown rule has no effect.
func checkRules(rules []int) error {
	for _, rule := range rules {
		if rule < 0 || rule >= len(scan.Rules()) {
			return usagef("--allow-rule %d must be 1 to %d", rule, len(scan.Rules())-1)
		}
	}
	return nil
}

// maxText bounds what is read from stdin, in bytes: a content has at most 200,000 characters of up to four bytes.
const maxText = 1 << 20

// text returns the argument, or all of stdin for "-", without the line break at its end. The line that shows progress is off while
// a person may type.
func (a *app) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	a.progress.Stop()
	defer a.progress.Start()
	text, err := io.ReadAll(io.LimitReader(a.in, maxText+1))
	if err != nil {
		return "", usagef("stdin: %w", err)
	}
	if len(text) > maxText {
		return "", usagef("stdin has more than %d bytes; a message has at most 200000 characters", maxText)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

// sent prints the receipt of a message.
func (a *app) sent(receipt *client.MeshMessage, err error) error {
	if err != nil {
		return err
	}
	return a.print(receipt, func(w io.Writer) error {
		thread := ""
		if receipt.GetThreadID() != "" {
			thread = ", thread " + receipt.GetThreadID()
		}
		_, err := fmt.Fprintf(w, "sent message %d to %s%s\n", receipt.ID, output.Line(receipt.ToNode), output.Line(thread))
		return err
	})
}
