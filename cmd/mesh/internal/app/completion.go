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
)

// Complete sets a flag's completion.
func Complete(cmd *cobra.Command, flag string, completion cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, completion); err != nil {
		panic(err) // no such flag, a programming error
	}
}

// CompleteKind completes message kinds. CompleteNothing suggests nothing, not even files.
var (
	CompleteKind     = cobra.FixedCompletions(mail.Kinds, cobra.ShellCompDirectiveNoFileComp)
	completeProvider = cobra.FixedCompletions(providers.Names(), cobra.ShellCompDirectiveNoFileComp)
	CompleteNothing  = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoFileComp)
)

// CompleteArgs completes each argument with its function, and any further arguments with
// nothing.
func CompleteArgs(each ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(given) < len(each) {
			return each[len(given)](cmd, given, prefix)
		}
		return CompleteNothing(cmd, given, prefix)
	}
}

// CompletionTime limits how long a shell waits for the gateway or the catalog.
const CompletionTime = 2 * time.Second

// CompleteNode completes registered nodes. If the gateway is unreachable, there are no
// suggestions.
func (a *App) CompleteNode(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), CompletionTime)
	defer cancel()
	c, err := a.Connect(Observer)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.Close()
	peers, _ := c.ListPeers(ctx) // no names after an error
	var names []cobra.Completion
	for _, p := range peers {
		if client.ValidNodeName(p.Name) == nil { // a gateway accepts names that a shell would evaluate
			names = append(names, p.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteMessage completes ids from this node's newest messages. It never shows content,
// which would put other people's text into a prompt.
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
	_ = list(cmd, given) // no ids after an error
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func describe(m client.MeshMessage) string {
	return fmt.Sprintf("%s, %s from %s", mail.ReadState(&m), mail.ShownKind(m.Kind), mail.ShownNode(m.FromNode))
}
