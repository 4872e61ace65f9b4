package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

// Complete sets the completion of a flag.
func Complete(cmd *cobra.Command, flag string, completion cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, completion); err != nil {
		panic(err) // the flag does not exist: a mistake in the program
	}
}

// CompleteKind completes a kind of message, and CompleteNothing has no names, also none of files.
var (
	CompleteKind     = cobra.FixedCompletions(mail.Kinds, cobra.ShellCompDirectiveNoFileComp)
	completeProvider = cobra.FixedCompletions(providers.Names(), cobra.ShellCompDirectiveNoFileComp)
	CompleteNothing  = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoFileComp)
)

// CompleteArgs completes each argument with a completion of its own, and further ones with nothing.
func CompleteArgs(each ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(given) < len(each) {
			return each[len(given)](cmd, given, prefix)
		}
		return CompleteNothing(cmd, given, prefix)
	}
}

// CompletionTime is how long a shell waits for names that the gateway or the catalog has.
const CompletionTime = 2 * time.Second

// CompleteNode completes the name of a registered node. Without an answer of the gateway there are no names.
func (a *App) CompleteNode(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), CompletionTime)
	defer cancel()
	c, err := a.Connect(Observer)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.Close()
	peers, _ := c.ListPeers(ctx) // after an error there are no names
	var names []cobra.Completion
	for _, p := range peers {
		if client.ValidNodeName(p.Name) == nil { // a gateway takes names that a shell would not
			names = append(names, p.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteMessage completes the id of one of the newest messages of this node. Their contents are not shown: they are other
// people's text at a prompt.
func (a *App) CompleteMessage(cmd *cobra.Command, given []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	list := a.AsNode(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, CompletionTime)
		defer cancel()
		messages, err := a.Client.Fetch(ctx, client.FetchOptions{})
		for _, m := range messages {
			if id := strconv.FormatInt(m.ID, 10); !slices.Contains(given, id) {
				ids = append(ids, cobra.CompletionWithDesc(id, describe(m)))
			}
		}
		return err
	})
	_ = list(cmd, given) // after an error there are no ids
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// describe returns what a shell shows beside the id of a message.
func describe(m client.MeshMessage) string {
	return fmt.Sprintf("%s, %s from %s", mail.ReadState(&m), mail.ShownKind(m.Kind), mail.ShownNode(m.FromNode))
}

// maxEdits is the number of letters in which a suggestion may differ.
const maxEdits = 2

// Similar returns the name that differs least from an unknown one, and by at most maxEdits letters and a third of it; "" if there is none.
func Similar(unknown string, names []string) (best string) {
	least := min(maxEdits, len(unknown)/3) + 1
	for _, name := range names {
		if n := editdistance.Of(unknown, name); n < least {
			best, least = name, n
		}
	}
	return best
}
