package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// providers are the providers, in the order of mesh prices.
var providers = []discovery.Provider{discovery.OpenAI, discovery.DeepSeek, discovery.Anthropic, discovery.Gemini, discovery.XAI}

// providerFlag adds --provider to a command.
func providerFlag(cmd *cobra.Command, name *string, usage string) {
	cmd.Flags().StringVar(name, "provider", "", usage)
	complete(cmd, "provider", providerNames()...)
}

func providerNames() []string {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = string(p)
	}
	return names
}

// providerOf returns the provider of that name, or the one that makes the model.
func providerOf(name, model string) (discovery.Provider, error) {
	if name != "" {
		return discovery.ParseProvider(name)
	}
	if p, ok := discovery.ProviderOf(model); ok {
		return p, nil
	}
	return "", usagef("the provider of %q is not known and must be given", model)
}

func newModels(a *app) *cobra.Command {
	var provider string
	var refresh bool
	cmd := &cobra.Command{
		Use:   "models [ID]",
		Short: "List the models of the catalog, or show one by its id or alias",
		Long: `Models lists the models of a public catalog, or shows one by its id or alias. The catalog is kept in the user's cache directory
for a day. When it cannot be read, the lists of the providers take its place, for which their keys are needed.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, ids []string) error {
			opts, err := catalogOptions(provider)
			if err != nil {
				return err
			}
			opts.Refresh = refresh
			return a.models(cmd.Context(), ids, opts)
		},
	}
	providerFlag(cmd, &provider, "only models of this provider: openai, deepseek, anthropic, gemini or xai")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "read the catalog again, whatever its age")
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
	return a.printModel(ids[0], info, failures)
}

func catalogOptions(provider string) (discovery.CatalogOptions, error) {
	if provider == "" {
		return discovery.CatalogOptions{}, nil
	}
	p, err := discovery.ParseProvider(provider)
	return discovery.CatalogOptions{Provider: p}, err
}

func (a *app) printModels(models []discovery.ModelInfo, failures *failureList) error {
	if len(models) == 0 {
		return noAnswer(failures)
	}
	a.warn(failures)
	return a.print(models, func(w io.Writer) error {
		rows := make([][]string, len(models))
		for i, m := range models {
			rows[i] = []string{m.ID, m.Developer, count(m.ContextLength), count(m.MaxTokens), orUnknown(m.Name)}
		}
		return table(w, []string{"ID", "DEVELOPER", "CONTEXT TOKENS", "OUTPUT TOKENS", "NAME"}, rows)
	})
}

// printModel prints one model. A model that the catalog does not list is a failure unless the catalog could not be read.
func (a *app) printModel(id string, info *discovery.ModelInfo, failures *failureList) error {
	if info == nil && len(failures.list()) > 0 {
		return noAnswer(failures)
	}
	if info == nil {
		return failedf("the catalog does not list %q", id)
	}
	a.warn(failures)
	return a.print(info, func(w io.Writer) error {
		return table(w, []string{"FIELD", "VALUE"}, [][]string{
			{"id", info.ID},
			{"developer", info.Developer},
			{"name", orUnknown(info.Name)},
			{"type", orUnknown(info.Type)},
			{"context tokens", count(info.ContextLength)},
			{"output tokens", count(info.MaxTokens)},
			{"description", orUnknown(info.Description)},
			{"source", info.Source},
		})
	})
}
