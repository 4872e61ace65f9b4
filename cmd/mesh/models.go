package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// providerFlag adds --provider to a command.
func providerFlag(cmd *cobra.Command, name *string, usage string) {
	cmd.Flags().StringVar(name, "provider", "", usage)
	complete(cmd, "provider", completeProvider)
}

func newModels(a *app) *cobra.Command {
	var provider string
	var refresh bool
	cmd := &cobra.Command{
		Use:   "models [ID]",
		Short: "List the models of the catalog, or show one by its id or alias",
		Long: `Models lists the models of a public catalog, or shows one by its id or alias. The catalog is kept in the user's cache directory
for a day. If it cannot be read, the lists of the providers are used instead; they need the keys of the providers.`,
		Example:           "  mesh models --provider anthropic\n  mesh models gpt-5.2 -o json",
		Args:              args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeArgs(a.completeModel),
		RunE: func(cmd *cobra.Command, ids []string) error {
			opts, err := lookup.Catalog(provider)
			if err != nil {
				return err
			}
			opts.Refresh = refresh
			return a.models(cmd.Context(), ids, opts)
		},
	}
	providerFlag(cmd, &provider, "only models of this provider: openai, deepseek, anthropic, gemini or xai")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "read the catalog again, regardless of its age")
	return cmd
}

// models lists the models, or shows the one that ids names.
func (a *app) models(ctx context.Context, ids []string, opts discovery.CatalogOptions) error {
	c, failures := a.discover()
	cached := loadCatalog(c)     //nolint:contextcheck // it sends nothing
	defer saveCatalog(c, cached) //nolint:contextcheck // it sends nothing
	if len(ids) == 0 {
		models, err := c.ListModels(ctx, opts)
		if err != nil {
			return err
		}
		return a.printModels(models, failures)
	}
	info, err := c.GetModelInfo(ctx, ids[0], opts)
	if err != nil {
		return err
	}
	if info == nil && len(failures.list()) == 0 {
		return unlisted(ctx, c, ids[0], opts)
	}
	return a.printModel(info, failures)
}

func (a *app) printModels(models []discovery.ModelInfo, failures *failureList) error {
	if len(models) == 0 {
		return noAnswer(failures)
	}
	a.warnAll(failures)
	return a.print(models, func(w io.Writer) error {
		rows := make([][]string, len(models))
		for i, m := range models {
			rows[i] = []string{m.ID, m.Developer, output.Count(m.ContextLength), output.Count(m.MaxTokens), output.Text(m.Name)}
		}
		return output.Table(w, []output.Column{output.Key("ID"), output.Plain("DEVELOPER", 1), output.Plain("CONTEXT TOKENS", 3), output.Plain("OUTPUT TOKENS", 2), output.Free("NAME")}, rows)
	})
}

// unlisted returns the error of a model that the catalog does not list, with the one that it is most like.
func unlisted(ctx context.Context, c *discovery.Client, id string, opts discovery.CatalogOptions) error {
	opts.Refresh = false // it has just been read
	models, err := c.ListModels(ctx, opts)
	if err != nil {
		return err
	}
	var names []string
	for _, m := range models {
		names = append(names, m.ID, m.ID[strings.LastIndexByte(m.ID, '/')+1:])
	}
	if name := similar(id, names); name != "" {
		return usagef("the catalog does not list %q; did you mean %s?", id, name)
	}
	return usagef("the catalog does not list %q", id)
}

// printModel prints one model, which is nil if the catalog could not be read.
func (a *app) printModel(info *discovery.ModelInfo, failures *failureList) error {
	if info == nil {
		return noAnswer(failures)
	}
	a.warnAll(failures)
	return a.print(info, func(w io.Writer) error {
		return output.Table(w, []output.Column{output.Plain("FIELD", 0), output.Key("VALUE")}, [][]string{
			{"id", info.ID},
			{"developer", info.Developer},
			{"name", output.Text(info.Name)},
			{"type", output.Text(info.Type)},
			{"context tokens", output.Count(info.ContextLength)},
			{"output tokens", output.Count(info.MaxTokens)},
			{"description", output.Text(info.Description)},
			{"source", info.Source},
		})
	})
}
