package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
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

// completionTime is how long a shell waits for names that the gateway or the catalog has.
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
	peers, _ := c.ListPeers(ctx) // after an error there are no names
	var names []cobra.Completion
	for _, p := range peers {
		if client.ValidNodeName(p.Name) == nil { // a gateway takes names that a shell would not
			names = append(names, p.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeMessage completes the id of one of the newest messages of this node. Their contents are not shown: they are other
// people's text at a prompt.
func (a *app) completeMessage(cmd *cobra.Command, given []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	list := a.asNode(func(ctx context.Context, c *client.MeshClient, given []string) error {
		ctx, cancel := context.WithTimeout(ctx, completionTime)
		defer cancel()
		messages, err := c.Fetch(ctx, client.FetchOptions{})
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
	state := "read"
	if m.ReadAt == nil {
		state = "unread"
	}
	return fmt.Sprintf("%s, %s from %s", state, output.Line(shownKind(m.Kind)), output.Line(shownNode(m.FromNode)))
}

// completePriced completes a model of the built-in price list.
func completePriced(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := map[string]bool{}
	for _, row := range prices.BuiltIn().Rows("") {
		names[row.ModelHint] = true
	}
	return slices.Sorted(maps.Keys(names)), cobra.ShellCompDirectiveNoFileComp
}

// completeBy completes the last of the names of --by, which have commas between them.
func completeBy(_ *cobra.Command, _ []string, prefix string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	given := prefix[:strings.LastIndex(prefix, ",")+1]
	for _, name := range []string{"day", "week", "month", "provider", "platform", "model", "label:", "unpriced"} {
		if !slices.Contains(strings.Split(given, ","), name) {
			names = append(names, given+name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// completeRetirement completes a model of the built-in retirement dates.
func completeRetirement(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := map[string]bool{}
	for key := range models.Retirements() {
		names[key.ID] = true
	}
	return slices.Sorted(maps.Keys(names)), cobra.ShellCompDirectiveNoFileComp
}

// plainID is the form of the ids of models that a shell takes as they are.
var plainID = regexp.MustCompile(`^[\w./:@+-]+$`)

// completeModel completes a model of the catalog.
func (a *app) completeModel(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	c, _ := a.discover()
	cached := loadCatalog(c)
	defer saveCatalog(c, cached)
	models, err := c.ListModels(ctx, discovery.CatalogOptions{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []cobra.Completion
	for _, m := range models {
		if plainID.MatchString(m.ID) { // a shell would evaluate other characters
			ids = append(ids, m.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeProfile completes the name of a profile.
func completeProfile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := profile.OfUser()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return all.Names(), cobra.ShellCompDirectiveNoFileComp
}
