// Package retired implements mesh retired, which finds models that are retired or retire
// soon: among its arguments, in a code base, or in calls.
package retired

import (
	"cmp"
	"context"
	"fmt"
	"io"
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
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// retirement is a JSON row for mesh retired.
type retirement struct {
	Provider models.Provider `json:"provider"`
	Model    string          `json:"model"`
	models.RetirementStatus
}

// Options are the flags for mesh retired.
type Options struct {
	*app.App
	args                    []string
	within                  string
	scan, used, failUnknown bool
	all                     bool
	sources                 codebase.Flags
}

var ofScan = append([]string{"all"}, codebase.Names...)

// New returns the mesh retired command.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "retired [MODEL...|-] or retired --scan DIR|FILE... or retired --used CALLS...",
		Short: "Check models for retirement; exit status 1 if one is retired or retires soon",
		Long: `Retired checks each MODEL, or for - each line of stdin, against the built-in dates and, if their keys are set, the dates
that OpenAI and Anthropic report. Without a MODEL, it lists all models that retire within --within, and exits with 0. The
state listed means a known model without a date. With --fail-unknown, a model in the state unknown also makes the exit
status 1. Empty lines on stdin and lines that start with # are skipped.

Scan: --scan finds model ids in files and directories, as whole words in lower case, with prefixes such as azure/ and openai:.
For each model that is retired, retiring or deprecated it prints the date, the replacement and the first places. Models that retire
after --within come last and don't fail. An id without a hyphen, such as o1, must be in quotes, or the value of a key named model.
An id that ends in * is a pattern, not a model. With --fail-unknown it also prints unknown values that look like an id with a number.
If a file or directory is unreadable, it prints the findings in the others and exits with 2. -o json has all places, and
-o github prints annotations for GitHub Actions for the models that fail.

Test data: Unless --all-files is set, *.lock, *.lock.yml, *-lock.*, and files in directories named cassettes, __snapshots__, fixtures
and testdata are only counted.

` + codebase.Help + `

Calls: --used reads calls files, as mesh usage does, and prints each model from the last 28 days that is retired, retires soon or is
deprecated, with the number and cost of its calls. REPLACED is the cost of the same tokens with the replacement, at its current
price; if only some calls have such a price, what those cost now is in front of it. REPORTED is a date in the newest Gemini
response, if it differs. Calls on a platform, such as Bedrock, have that platform's dates.`,
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
	flags := cmd.Flags()
	flags.StringVar(&o.within, "within", "60d", "report models that retire within these `DAYS`")
	flags.BoolVar(&o.scan, "scan", false, "find models in the given files and directories")
	flags.BoolVar(&o.used, "used", false, "find models in the given calls files and directories")
	app.PricesFlag(o.App, cmd)
	app.Exclude(cmd, "scan", "used")
	flags.BoolVar(&o.all, "all", false, "with --scan, print every place")
	o.sources.Add(cmd)
	flags.BoolVar(&o.failUnknown, "fail-unknown", false, "exit status 1 also for an unknown model")
	return cmd
}

func (o *Options) completeArg(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if o.scan || o.used {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for key := range o.Registry().All() {
		names = append(names, key.ID)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func run(ctx context.Context, o *Options) error {
	soon, err := app.ParseDays("--within", o.within)
	switch {
	case err != nil:
		return err
	case !o.scan && o.Format == "github":
		return exit.Usagef("-o github is only for --scan")
	case !o.used && len(o.PriceFiles) > 0:
		return exit.Usagef("--prices is only for --used")
	case o.scan:
		return o.scanSources(ctx, soon)
	case o.used:
		return o.retiredUsed(ctx, soon)
	}
	return o.retiredNamed(ctx, soon)
}

// checker checks models that retire within soon. Dates from providers are included.
func (o *Options) checker(ctx context.Context, soon time.Duration) (checker, error) {
	c, failures := o.Discover()
	registry, err := c.Retirements(ctx)
	if err == nil {
		o.WarnAll(failures)
	}
	return checker{registry, time.Now().UTC().Truncate(24 * time.Hour), soon}, err
}

type checker struct {
	registry models.Registry
	today    time.Time
	soon     time.Duration
}

// model prefers the platform's date if the id is written in a platform's way, then the
// provider's date.
func (c checker) model(id string) retirement {
	p, ok := models.ProviderOf(id)
	if !ok {
		return retirement{Model: id, RetirementStatus: models.RetirementStatus{State: models.StateUnknown}}
	}
	status := c.registry.CheckOn(platformOf(id), p, id, c.today)
	if status.Date == "" && status.State != models.StateDeprecated {
		status = c.registry.Check(p, id, c.today)
	}
	if name, ok := bedrockNames[models.NormalizeModelID(p, id)]; ok && status.State == models.StateUnknown {
		status = c.registry.Check(p, name, c.today)
	}
	return retirement{p, id, status}
}

// platformOf returns the platform whose id syntax this is, or "".
func platformOf(id string) string {
	switch {
	case strings.Contains(id, "anthropic."):
		return "bedrock"
	case strings.Contains(id, "@"):
		return "vertex"
	}
	return ""
}

// bedrockNames maps ids that Bedrock names by version.
var bedrockNames = map[string]string{
	"claude-v2": "claude-2.0", "claude-v2:1": "claude-2.1", "claude-instant-v1": "claude-instant-1.2",
}

// first returns the first known state in ids, or else the first with a provider.
func (c checker) first(ids []string) (first retirement) {
	first.State = models.StateUnknown
	for _, id := range ids {
		r := c.model(id)
		if r.State != models.StateUnknown {
			return r
		}
		if first.Provider == "" {
			first = r
		}
	}
	return first
}

// finds reports whether a model is retired or retires soon.
func (c checker) finds(r retirement) bool {
	return r.State == models.StateRetired || c.isSoon(r.Date)
}

// isSoon includes past dates. It's false for "".
func (c checker) isSoon(date string) bool {
	day, err := time.Parse(time.DateOnly, date)
	return err == nil && !day.After(c.today.Add(c.soon))
}

func (o *Options) retiredNamed(ctx context.Context, soon time.Duration) error {
	names, err := o.names()
	if err != nil {
		return err
	}
	check, err := o.checker(ctx, soon)
	if err != nil {
		return err
	}
	list, found := []retirement{}, false
	for _, name := range names {
		r := check.first(IDs(name))
		r.Model = name
		if err := providers.Misspelled(name); err != nil {
			o.Warn(err)
			r = retirement{Model: name, RetirementStatus: models.RetirementStatus{State: models.StateUnknown}}
		} else if r.State == models.StateUnknown {
			o.suggestModel(name)
		}
		found = found || check.finds(r) || o.failUnknown && r.State == models.StateUnknown
		list = append(list, r)
	}
	if names == nil {
		for _, r := range check.registry.RetiringWithin(soon) {
			list = append(list, retirement{r.Provider, r.ID, check.registry.Check(r.Provider, r.ID, check.today)})
		}
	}
	return cmp.Or(o.printRetirements(list), exit.If(found))
}

// names returns the arguments, with "-" replaced by stdin's lines.
func (o *Options) names() (names []string, err error) {
	for _, arg := range o.args {
		if arg != "-" {
			names = append(names, arg)
			continue
		}
		text, err := io.ReadAll(o.In)
		if err != nil {
			return nil, exit.Usagef("stdin: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				names = append(names, line)
			}
		}
	}
	if len(o.args) > 0 && len(names) == 0 {
		return nil, exit.Usagef("stdin names no model")
	}
	for _, name := range names {
		if name == "" {
			return nil, exit.Usagef("MODEL must not be empty")
		}
		if isPath(name) {
			return nil, exit.Usagef("%q is a file or directory, not a model; mesh retired --scan finds the models in it", name)
		}
	}
	return names, nil
}

// isPath reports whether text names a file and isn't a model id. A file may be named
// like a model.
func isPath(text string) bool {
	if strings.HasPrefix(text, ".") || filepath.IsAbs(text) {
		return true
	}
	_, isModel := models.ProviderOf(text)
	_, err := os.Stat(text)
	return !isModel && err == nil
}

func (o *Options) printRetirements(list []retirement) error {
	columns := []table.Column{
		table.Plain("PROVIDER", 1), table.Key("MODEL"), output.Marked(o.Out, table.Plain("STATE", 2)), table.Plain("DATE", 3), table.Key("REPLACEMENT"),
	}
	return o.PrintTable(list, columns, table.Rows(list, func(r *retirement) []string {
		return []string{output.Known(r.Provider), r.Model, string(r.State), output.Known(r.Date), output.Known(r.Replacement)}
	}))
}

func (o *Options) suggestModel(unknown string) {
	p, _ := models.ProviderOf(unknown)
	if names := providers.Similar(o.PriceTable(), o.Registry(), p, unknown, time.Now()); len(names) > 0 {
		o.Warn(fmt.Errorf("unknown model %s; did you mean %s?", output.Line(unknown), output.Alternatives(names)))
	}
}
