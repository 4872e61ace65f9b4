package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mentions"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// retirement is one row of mesh retired.
type retirement struct {
	Provider models.Provider `json:"provider"`
	Model    string          `json:"model"`
	models.RetirementStatus
}

// retiredFlags are the flags of mesh retired.
type retiredFlags struct {
	within                  string
	scan, used, failUnknown bool
	all                     bool
	sources                 sourceFlags
}

func newRetired(a *app) *cobra.Command {
	var f retiredFlags
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
fixtures and testdata. ` + sourceHelp + `

With --used it reads calls files, as mesh usage does, and prints each model of the last 28 days that is retired, retires soon or is
deprecated, with the number and the cost of its calls. REPORTED is what the newest response of Gemini stated, if it is not the date.
Calls on a platform, such as Bedrock, have the dates of that platform.`,
		Example: `  mesh retired gpt-4o claude-sonnet-5-5 --within 90d
  mesh retired --scan --within 90d src config.yml
  mesh retired --scan --write-baseline models.baseline . && mesh retired --scan --baseline models.baseline .
  mesh retired --used calls
  mesh retired - < models.txt`,
		Args:              args(cobra.ArbitraryArgs),
		ValidArgsFunction: f.completeArg,
		RunE: func(cmd *cobra.Command, given []string) error {
			soon, err := parseDays("--within", f.within)
			if err != nil {
				return err
			}
			if err := f.check(cmd, a.format); err != nil {
				return err
			}
			if f.scan && len(given) == 0 {
				return usagef("--scan needs a folder or a file, such as .")
			}
			if len(a.priceFiles) > 0 && !f.used {
				return usagef("--prices is only for --used")
			}
			if f.used {
				if len(given) == 0 {
					return usagef("--used needs a file or folder of calls, as mesh meter --log writes them")
				}
				return a.retiredUsed(cmd.Context(), given, soon)
			}
			if !f.scan {
				if given, err = a.expand(given); err != nil {
					return err
				}
			}
			return a.retired(cmd.Context(), given, soon, f)
		},
	}
	cmd.Flags().StringVar(&f.within, "within", "60d", "report models that retire within this time, in days as in 60d")
	cmd.Flags().BoolVar(&f.scan, "scan", false, "find models in the files and folders that are given")
	cmd.Flags().BoolVar(&f.used, "used", false, "find models in the calls files and folders that are given")
	pricesFlag(a, cmd)
	exclude(cmd, "scan", "used")
	cmd.Flags().BoolVar(&f.all, "all", false, "with --scan, print every place")
	f.sources.add(cmd)
	cmd.Flags().BoolVar(&f.failUnknown, "fail-unknown", false, "exit status 1 also for a model that is not known")
	return cmd
}

// check returns an error for a flag that is for --scan only.
func (f *retiredFlags) check(cmd *cobra.Command, format string) error {
	name := f.sources.changed(cmd)
	if f.all {
		name = "all"
	}
	switch {
	case f.scan:
		return nil
	case name != "":
		return usagef("--%s is only for --scan", name)
	case format == "github":
		return usagef("-o github is only for --scan")
	}
	return nil
}

// completeArg completes a model, or with --scan or --used the name of a file.
func (f *retiredFlags) completeArg(cmd *cobra.Command, given []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if f.scan || f.used {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return completeRetirement(cmd, given, prefix)
}

// parseDays reads a number of days such as "60d".
func parseDays(flag, text string) (time.Duration, error) {
	days, ok := lookup.Days(text)
	if !ok {
		return 0, usagef("%s %q must be a number of days, such as 60d, and at most %dd", flag, text, lookup.MaxDays)
	}
	return time.Duration(days) * 24 * time.Hour, nil
}

// expand replaces "-" by the lines of stdin.
func (a *app) expand(models []string) ([]string, error) {
	var all []string
	for _, model := range models {
		if model != "-" {
			all = append(all, model)
			continue
		}
		lines := bufio.NewScanner(a.in)
		for lines.Scan() {
			if text := strings.TrimSpace(lines.Text()); text != "" && !strings.HasPrefix(text, "#") {
				all = append(all, text)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, usagef("stdin: %w", err)
		}
	}
	if len(models) > 0 && len(all) == 0 {
		return nil, usagef("stdin names no model")
	}
	for _, model := range all {
		if model == "" {
			return nil, usagef("MODEL must not be empty")
		}
		if isPath(model) {
			return nil, usagef("%q is a file or folder and not a model; mesh retired --scan finds the models in it", model)
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

func (a *app) retired(ctx context.Context, given []string, soon time.Duration, f retiredFlags) error {
	c, failures := a.discover()
	registry, err := c.Retirements(ctx)
	if err != nil {
		return err
	}
	a.warnAll(failures)
	check := checker{registry, time.Now().UTC().Truncate(24 * time.Hour), soon}
	if f.scan {
		return a.scanSources(check, given, f)
	}
	if len(given) == 0 {
		return a.printRetirements(retiring(registry, soon))
	}
	list := make([]retirement, len(given))
	found := false
	for i, id := range given {
		list[i] = check.first(mentions.IDs(id))
		list[i].Model = id
		if list[i].State == models.StateUnknown {
			a.suggestModel(id)
		}
		found = found || check.finds(list[i]) || f.failUnknown && list[i].State == models.StateUnknown
	}
	if err := a.printRetirements(list); err != nil {
		return err
	}
	if found {
		return errFound
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

func (a *app) printRetirements(list []retirement) error {
	return a.print(list, func(w io.Writer) error {
		rows := make([][]string, len(list))
		for i, r := range list {
			rows[i] = []string{output.Text((*string)(&r.Provider)), r.Model, string(r.State), output.Text(&r.Date), output.Text(&r.Replacement)}
		}
		return output.Table(w, []output.Column{output.Plain("PROVIDER", 1), output.Key("MODEL"), output.Marked(w, output.Plain("STATE", 2)), output.Plain("DATE", 3), output.Key("REPLACEMENT")}, rows)
	})
}
