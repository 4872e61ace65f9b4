package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
)

// complete sets the completion of a flag.
func complete(cmd *cobra.Command, flag string, completion cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, completion); err != nil {
		panic(err) // the flag does not exist: a mistake in the program
	}
}

var (
	completeKind     = cobra.FixedCompletions(lookup.Kinds, cobra.ShellCompDirectiveNoFileComp)
	completeProvider = cobra.FixedCompletions(lookup.ProviderNames(), cobra.ShellCompDirectiveNoFileComp)
	completeNothing  = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoFileComp)
)

// completeArgs completes each argument with a completion of its own, and further ones with nothing.
func completeArgs(each ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(given) < len(each) {
			return each[len(given)](cmd, given, prefix)
		}
		return completeNothing(cmd, given, prefix)
	}
}

// completionTime is how long a shell waits for the names of nodes.
const completionTime = 2 * time.Second

// completeNode completes the name of a registered node. Without an answer of the gateway there are no names.
func (a *app) completeNode(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	c, err := a.connect(observer)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.Close()
	peers, err := c.ListPeers(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, p := range peers {
		if client.ValidNodeName(p.Name) == nil { // a gateway takes names that a shell would not
			names = append(names, p.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
