// Package retired is mesh retired: models that are retired or retire soon, among those that are named, that a code base names or that were
// called.
package retired

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// completeRetirement completes a model of the built-in retirement dates.
func completeRetirement(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := map[string]bool{}
	for key := range models.Retirements() {
		names[key.ID] = true
	}
	return slices.Sorted(maps.Keys(names)), cobra.ShellCompDirectiveNoFileComp
}

// retirement is one row of mesh retired.
type retirement struct {
	Provider models.Provider `json:"provider"`
	Model    string          `json:"model"`
	models.RetirementStatus
}

// Options are the flags of mesh retired.
type Options struct {
	within                  string
	scan, used, failUnknown bool
	all                     bool
	sources                 codebase.Flags
}

// New returns the command mesh retired.
func New(a *app.App) *cobra.Command {
	var f Options
	cmd := &cobra.Command{
		Use:   "retired [MODEL...|-] or retired --scan DIR|FILE... or retired --used CALLS...",
		Short: "Check models for retirement; exit status 1 if one is retired or retires soon",
		Long: `Retired checks each MODEL, or with - each line of stdin, against the built-in dates and, if their keys are set, the dates
that OpenAI and Anthropic report. Without a MODEL it lists all models that retire within the time of --within; the exit
status is then 0. The state listed means that the model is known and has no date. A model that is not known has the state
unknown; with --fail-unknown the exit status is then 1. Blank lines of stdin and lines that begin with # are skipped.

With --scan it finds the ids of models in files and folders, as whole words in lower case, with prefixes such as azure/ and openai:,
and prints the date, the replacement and the first places of those that are retired, retiring or deprecated. Those after the time of --within
come last and do not fail. An id without a hyphen, such as o1, must be in quotes or the value of a key named model. An id that ends in
* is a pattern and no model. With --fail-unknown it also prints such values that look like an id with a number and are not known.
If a file or folder cannot be read, the findings in the others are printed, and the exit status is 2. -o json has all places, and -o github
prints
annotations for GitHub Actions for those that fail.

Of a folder it also counts only, unless --all-files is given: *.lock, *.lock.yml, *-lock.*, and what is in folders named cassettes, __snapshots__,
fixtures and testdata. ` + codebase.Help + `

With --used it reads calls files, as mesh usage does, and prints each model of the last 28 days that is retired, retires soon or is
deprecated, with the number and the cost of its calls. REPORTED is what the newest response of Gemini stated, if it is not the date.
Calls on a platform, such as Bedrock, have the dates of that platform.`,
		Example: `  mesh retired gpt-4o claude-sonnet-5-5 --within 90d
  mesh retired --scan --within 90d src config.yml
  mesh retired --scan --write-baseline models.baseline .
  mesh retired --scan --baseline models.baseline .
  mesh retired --used calls
  mesh retired - < models.txt`,
		Args:              app.Args(cobra.ArbitraryArgs),
		ValidArgsFunction: f.completeArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			soon, err := app.ParseDays("--within", f.within)
			if err != nil {
				return err
			}
			if err := f.check(cmd, a.Format); err != nil {
				return err
			}
			if f.scan && len(given) == 0 {
				return exit.Usagef("--scan needs a folder or a file, such as .")
			}
			if len(a.PriceFiles) > 0 && !f.used {
				return exit.Usagef("--prices is only for --used")
			}
			if f.used {
				if len(given) == 0 {
					return exit.Usagef("--used needs a file or folder of calls, as mesh meter --log writes them")
				}
				return retiredUsed(a, cmd.Context(), given, soon)
			}
			if !f.scan {
				if given, err = expand(a, given); err != nil {
					return err
				}
			}
			return run(a, cmd.Context(), given, soon, f)
		},
	}
	cmd.Flags().StringVar(&f.within, "within", "60d", "report models that retire within this time, in days as in 60d")
	cmd.Flags().BoolVar(&f.scan, "scan", false, "find models in the files and folders that are given")
	cmd.Flags().BoolVar(&f.used, "used", false, "find models in the calls files and folders that are given")
	app.PricesFlag(a, cmd)
	app.Exclude(cmd, "scan", "used")
	cmd.Flags().BoolVar(&f.all, "all", false, "with --scan, print every place")
	f.sources.Add(cmd)
	cmd.Flags().BoolVar(&f.failUnknown, "fail-unknown", false, "exit status 1 also for a model that is not known")
	return cmd
}

// check returns an error for a flag that is for --scan only.
func (f *Options) check(cmd *cobra.Command, format string) error {
	name := f.sources.Changed(cmd)
	if f.all {
		name = "all"
	}
	switch {
	case f.scan:
		return nil
	case name != "":
		return exit.Usagef("--%s is only for --scan", name)
	case format == "github":
		return exit.Usagef("-o github is only for --scan")
	}
	return nil
}

// completeArg completes a model, or with --scan or --used the name of a file.
func (f *Options) completeArg(cmd *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if f.scan || f.used {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return completeRetirement(cmd, given, prefix)
}

// expand replaces "-" by the lines of stdin.
func expand(a *app.App, models []string) ([]string, error) {
	var all []string
	for _, model := range models {
		if model != "-" {
			all = append(all, model)
			continue
		}
		lines := bufio.NewScanner(a.In)
		for lines.Scan() {
			if text := strings.TrimSpace(lines.Text()); text != "" && !strings.HasPrefix(text, "#") {
				all = append(all, text)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, exit.Usagef("stdin: %w", err)
		}
	}
	if len(models) > 0 && len(all) == 0 {
		return nil, exit.Usagef("stdin names no model")
	}
	for _, model := range all {
		if model == "" {
			return nil, exit.Usagef("MODEL must not be empty")
		}
		if isPath(model) {
			return nil, exit.Usagef("%q is a file or folder and not a model; mesh retired --scan finds the models in it", model)
		}
	}
	return all, nil
}

// isPath reports whether a text names a file and cannot be a model. A file may have the name of a model.
func isPath(text string) bool {
	if strings.HasPrefix(text, ".") || filepath.IsAbs(text) {
		return true
	}
	_, isModel := models.ProviderOf(text)
	_, err := os.Stat(text)
	return !isModel && err == nil
}

func run(a *app.App, ctx context.Context, given []string, soon time.Duration, f Options) error {
	c, failures := a.Discover()
	registry, err := c.Retirements(ctx)
	if err != nil {
		return err
	}
	a.WarnAll(failures)
	check := checker{registry, time.Now().UTC().Truncate(24 * time.Hour), soon}
	if f.scan {
		return scanSources(a, check, given, f)
	}
	if len(given) == 0 {
		return printRetirements(a, retiring(registry, soon))
	}
	list := make([]retirement, len(given))
	found := false
	for i, id := range given {
		list[i] = check.first(IDs(id))
		list[i].Model = id
		if list[i].State == models.StateUnknown {
			suggestModel(a, id)
		}
		found = found || check.finds(list[i]) || f.failUnknown && list[i].State == models.StateUnknown
	}
	if err := printRetirements(a, list); err != nil {
		return err
	}
	if found {
		return exit.ErrFound
	}
	return nil
}

func retiring(registry models.Registry, soon time.Duration) []retirement {
	list := []retirement{}
	for _, r := range registry.RetiringWithin(soon) {
		list = append(list, retirement{r.Provider, r.ID, registry.Check(r.Provider, r.ID, time.Now())})
	}
	return list
}

// checker checks models on a day.
type checker struct {
	registry models.Registry
	today    time.Time
	soon     time.Duration
}

// model returns the state of a model.
func (c checker) model(id string) retirement {
	p, ok := models.ProviderOf(id)
	if !ok {
		return retirement{"", id, models.RetirementStatus{State: models.StateUnknown}}
	}
	status := c.registry.Check(p, id, c.today)
	if name, ok := bedrockNames[models.NormalizeModelID(p, id)]; ok && status.State == models.StateUnknown {
		status = c.registry.Check(p, name, c.today)
	}
	return retirement{p, id, status}
}

// bedrockNames are the ids of models that Bedrock names by a version.
var bedrockNames = map[string]string{
	"claude-v2": "claude-2.0", "claude-v2:1": "claude-2.1", "claude-instant-v1": "claude-instant-1.2",
}

// first returns the state of the first of ids that is known, or else of the first one.
func (c checker) first(ids []string) retirement {
	if len(ids) == 0 {
		return retirement{"", "", models.RetirementStatus{State: models.StateUnknown}}
	}
	first := c.model(ids[0])
	for _, id := range ids[1:] {
		if first.State != models.StateUnknown {
			break
		}
		if r := c.model(id); r.State != models.StateUnknown || first.Provider == "" {
			first = r
		}
	}
	return first
}

// finds reports whether a model is retired or retires soon.
func (c checker) finds(r retirement) bool {
	return r.State == models.StateRetired || c.isSoon(r.Date)
}

// isSoon reports whether a date has passed or is soon. "" is neither.
func (c checker) isSoon(date string) bool {
	day, err := time.Parse(time.DateOnly, date)
	return err == nil && !day.After(c.today.Add(c.soon))
}

func printRetirements(a *app.App, list []retirement) error {
	return a.Print(list, func(w io.Writer) error {
		rows := make([][]string, len(list))
		for i, r := range list {
			rows[i] = []string{output.Text((*string)(&r.Provider)), r.Model, string(r.State), output.Text(&r.Date), output.Text(&r.Replacement)}
		}
		return output.Table(w, []table.Column{table.Plain("PROVIDER", 1), table.Key("MODEL"), output.Marked(w, table.Plain("STATE", 2)), table.Plain("DATE", 3), table.Key("REPLACEMENT")}, rows)
	})
}

// suggestModel prints the model of the price list that an unknown one is most like.
func suggestModel(a *app.App, unknown string) {
	list, _ := a.PriceTable()
	var names []string
	for _, p := range list.Providers() {
		names = append(names, list.Models(p)...)
	}
	if name := app.Similar(unknown, names); name != "" {
		a.Warn(fmt.Errorf("%s is not known; did you mean %s?", output.Line(unknown), name))
	}
}
