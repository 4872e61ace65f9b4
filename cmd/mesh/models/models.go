// Package models implements mesh models, which shows the model catalog.
package models

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/editdistance"
	"github.com/mesh-gateway/mesh-go/internal/money"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// plainID matches ids that need no shell quoting.
var plainID = regexp.MustCompile(`^[\w./:@+-]+$`)

func (o *Options) completeModel(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), app.CompletionTime)
	defer cancel()
	c, _ := o.Discover()
	defer keepCatalog(c)()
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

// Options has the arguments and flags for mesh models.
type Options struct {
	*app.App
	id, provider string
	refresh      bool
}

// New returns the mesh models command.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "models [ID]",
		Short: "List the catalog, or show a model by its id or alias",
		Long: `Models lists the models in a public catalog, or shows one by its id or alias. The catalog is kept in your cache directory
for a day. If it is unavailable, the providers' own lists replace it; they need the providers' keys.`,
		Example:           "  mesh models --provider anthropic\n  mesh models gpt-5.2 -o json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: app.CompleteArgs(o.completeModel),
		RunE: func(cmd *cobra.Command, ids []string) error {
			o.id = strings.Join(ids, "") // one at most
			return run(cmd.Context(), o)
		},
	}
	app.ProviderFlag(cmd, &o.provider, "only models of this `PROVIDER`, such as openai")
	cmd.Flags().BoolVar(&o.refresh, "refresh", false, "read the catalog again, regardless of its age")
	return cmd
}

func run(ctx context.Context, o *Options) error {
	opts := discovery.CatalogOptions{Refresh: o.refresh}
	if o.provider != "" {
		var err error
		if opts.Provider, err = providers.Of(o.provider, ""); err != nil {
			return err
		}
	}
	c, failures := o.Discover()
	defer keepCatalog(c)() //nolint:contextcheck // it sends nothing
	if o.id == "" {
		list, err := c.ListModels(ctx, opts)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return app.NoAnswer(failures)
		}
		o.WarnAll(failures)
		return printModels(o.App, list)
	}
	info, err := c.GetModelInfo(ctx, o.id, opts)
	switch {
	case err != nil:
		return err
	case info == nil && len(failures.List()) == 0:
		return unlisted(ctx, c, o.id, opts)
	case info == nil:
		return app.NoAnswer(failures)
	}
	o.WarnAll(failures)
	return printModel(o.App, info)
}

func printModels(a *app.App, models []discovery.ModelInfo) error {
	columns := []table.Column{
		table.Key("ID"), table.Plain("DEVELOPER", 1), table.Right("CONTEXT TOKENS", 4), table.Right("OUTPUT TOKENS", 3), table.Plain("NAME", 2),
	}
	slices.SortStableFunc(models, func(a, b discovery.ModelInfo) int {
		return strings.Compare(strings.ToLower(a.ID), strings.ToLower(b.ID))
	})
	return a.PrintTable(models, columns, table.Rows(models, func(m *discovery.ModelInfo) []string {
		return []string{m.ID, m.Developer, count(m.ContextLength), count(m.MaxTokens), output.Text(m.Name)}
	}))
}

func count(n *int64) string { return money.Separated(output.Count(n)) }

// unlisted returns an error that suggests a similar id if there is one.
func unlisted(ctx context.Context, c *discovery.Client, id string, opts discovery.CatalogOptions) error {
	opts.Refresh = false // we have just read it
	models, err := c.ListModels(ctx, opts)
	if err != nil {
		return err
	}
	var names []string
	for _, m := range models {
		names = append(names, m.ID, m.ID[strings.LastIndexByte(m.ID, '/')+1:])
	}
	if name := editdistance.Nearest(id, names); name != "" {
		return exit.Usagef("the catalog does not list %q; did you mean %s?", id, name)
	}
	return exit.Usagef("the catalog does not list %q", id)
}

func printModel(a *app.App, info *discovery.ModelInfo) error {
	return a.PrintTable(info, []table.Column{table.Plain("FIELD", 0), table.Key("VALUE")}, [][]string{
		{"id", info.ID},
		{"developer", info.Developer},
		{"name", output.Text(info.Name)},
		{"type", output.Text(info.Type)},
		{"context tokens", count(info.ContextLength)},
		{"output tokens", count(info.MaxTokens)},
		{"description", output.Text(info.Description)},
		{"source", info.Source},
	})
}

// maxCatalog is in bytes.
const maxCatalog = 32 << 20

// keepCatalog loads the catalog from an earlier run. Call save to keep a changed catalog
// for the next run. Errors are ignored: without a file, the catalog is requested.
func keepCatalog(c *discovery.Client) (save func()) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return func() {}
	}
	name := filepath.Join(dir, "mesh", "catalog.json")
	loaded, err := openfile.Read(name, maxCatalog)
	if err == nil {
		_ = c.LoadCatalog(bytes.NewReader(loaded))
	}
	return func() {
		var catalog bytes.Buffer
		if c.SaveCatalog(&catalog) == nil && !bytes.Equal(catalog.Bytes(), loaded) {
			_ = files.WriteAll(name, catalog.Bytes())
		}
	}
}
