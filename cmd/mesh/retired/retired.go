// Package retired is mesh retired: models that are retired or retire soon, among those that are named, that a code base names or that were
// called.
package retired

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
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
	*app.App
	args                    []string
	within                  string
	scan, used, failUnknown bool
	all                     bool
	sources                 codebase.Flags
}

// ofScan are the flags that are for --scan only.
var ofScan = append([]string{"all"}, codebase.Names...)

// New returns the command mesh retired.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
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
deprecated, with the number and the cost of its calls. REPLACED is what the same tokens would cost with the replacement at its price
now; if that is known of some calls only, it follows what these cost. REPORTED is what the newest response of Gemini stated, if it is
not the date. Calls on a platform, such as Bedrock, have the dates of that platform.`,
		Example: `  mesh retired gpt-4o claude-sonnet-5-5 --within 90d
  mesh retired --scan --within 90d src config.yml
  mesh retired --scan --write-baseline models.baseline .
  mesh retired --scan --baseline models.baseline .
  mesh retired --used calls
  mesh retired - < models.txt`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: o.completeArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			o.args = given
			if i := slices.IndexFunc(ofScan, cmd.Flags().Changed); i >= 0 && !o.scan {
				return exit.Usagef("--%s is only for --scan", ofScan[i])
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.within, "within", "60d", "report models that retire within this time, in days as in 60d")
	cmd.Flags().BoolVar(&o.scan, "scan", false, "find models in the files and folders that are given")
	cmd.Flags().BoolVar(&o.used, "used", false, "find models in the calls files and folders that are given")
	app.PricesFlag(o.App, cmd)
	app.Exclude(cmd, "scan", "used")
	cmd.Flags().BoolVar(&o.all, "all", false, "with --scan, print every place")
	o.sources.Add(cmd)
	cmd.Flags().BoolVar(&o.failUnknown, "fail-unknown", false, "exit status 1 also for a model that is not known")
	return cmd
}

// check returns an error for flags and arguments that do not fit together.
func (o *Options) check() error {
	switch {
	case !o.scan && o.Format == "github":
		return exit.Usagef("-o github is only for --scan")
	case o.scan && len(o.args) == 0:
		return exit.Usagef("--scan needs a folder or a file, such as .")
	case len(o.PriceFiles) > 0 && !o.used:
		return exit.Usagef("--prices is only for --used")
	case o.used && len(o.args) == 0:
		return exit.Usagef("--used needs a file or folder of calls, as mesh meter --log writes them")
	}
	return nil
}

// completeArg completes a model, or with --scan or --used the name of a file.
func (o *Options) completeArg(cmd *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if o.scan || o.used {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return completeRetirement(cmd, given, prefix)
}

// expand replaces "-" in the arguments by the lines of stdin.
func (o *Options) expand() error {
	var all []string
	for _, model := range o.args {
		if model != "-" {
			all = append(all, model)
			continue
		}
		lines := bufio.NewScanner(o.In)
		for lines.Scan() {
			if text := strings.TrimSpace(lines.Text()); text != "" && !strings.HasPrefix(text, "#") {
				all = append(all, text)
			}
		}
		if err := lines.Err(); err != nil {
			return exit.Usagef("stdin: %w", err)
		}
	}
	if len(o.args) > 0 && len(all) == 0 {
		return exit.Usagef("stdin names no model")
	}
	for _, model := range all {
		if model == "" {
			return exit.Usagef("MODEL must not be empty")
		}
		if isPath(model) {
			return exit.Usagef("%q is a file or folder and not a model; mesh retired --scan finds the models in it", model)
		}
	}
	o.args = all
	return nil
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

// run checks the models that are named, that a code base names or that were called.
func run(ctx context.Context, o *Options) error {
	soon, err := app.ParseDays("--within", o.within)
	if err = cmp.Or(err, o.check()); err != nil {
		return err
	}
	if o.used {
		return o.retiredUsed(ctx, soon)
	}
	if !o.scan {
		if err := o.expand(); err != nil {
			return err
		}
	}
	check, err := o.checker(ctx, soon)
	switch {
	case err != nil:
		return err
	case o.scan:
		return o.scanSources(check)
	case len(o.args) == 0:
		return o.printRetirements(check.retiring())
	}
	list := make([]retirement, len(o.args))
	found := false
	for i, id := range o.args {
		list[i] = check.first(IDs(id))
		list[i].Model = id
		if list[i].State == models.StateUnknown {
			o.suggestModel(id)
		}
		found = found || check.finds(list[i]) || o.failUnknown && list[i].State == models.StateUnknown
	}
	return cmp.Or(o.printRetirements(list), exit.If(found))
}

// checker returns a checker of the models that retire within a time from today.
func (o *Options) checker(ctx context.Context, soon time.Duration) (checker, error) {
	c, failures := o.Discover()
	registry, err := c.Retirements(ctx)
	if err == nil {
		o.WarnAll(failures)
	}
	return checker{registry, time.Now().UTC().Truncate(24 * time.Hour), soon}, err
}

// retiring returns the models that retire soon.
func (c checker) retiring() []retirement {
	list := []retirement{}
	for _, r := range c.registry.RetiringWithin(c.soon) {
		list = append(list, retirement{r.Provider, r.ID, c.registry.Check(r.Provider, r.ID, time.Now())})
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

func (o *Options) printRetirements(list []retirement) error {
	columns := []table.Column{
		table.Plain("PROVIDER", 1), table.Key("MODEL"), output.Marked(o.Out, table.Plain("STATE", 2)), table.Plain("DATE", 3), table.Key("REPLACEMENT"),
	}
	return o.PrintTable(list, columns, table.Rows(list, func(r *retirement) []string {
		return []string{output.Text((*string)(&r.Provider)), r.Model, string(r.State), output.Text(&r.Date), output.Text(&r.Replacement)}
	}))
}

// suggestModel prints the model of the price list that an unknown one is most like.
func (o *Options) suggestModel(unknown string) {
	list, _ := o.PriceTable()
	var names []string
	for _, p := range list.Providers() {
		names = append(names, list.Models(p)...)
	}
	if name := app.Similar(unknown, names); name != "" {
		o.Warn(fmt.Errorf("%s is not known; did you mean %s?", output.Line(unknown), name))
	}
}
