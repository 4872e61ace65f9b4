package usage

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
)

// ZoneVariable is the environment variable that replaces --tz.
const ZoneVariable = "MESH_TZ"

// New returns the mesh usage command, which is also called mesh sessions.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:        "usage FILE|DIR|-...",
		Aliases:    []string{"sessions"},
		SuggestFor: []string{"session"},
		Short:      "Show what LLM calls cost",
		Long: `Usage adds up call records: their number, tokens and cost. On a terminal it shows the last 14 days and the month; in a pipe,
and with -o, --by or --fail-on, everything. mesh sessions is mesh usage --sessions.

A line of the input is one call, as written by mesh meter --log. The minimum is a provider's usage object, copied from its response:

  {"provider":"openai","model":"gpt-5.2","time":"2026-11-21T07:54:15Z",
   "usage":{...}}

You can omit the provider if the model name implies it. Directories are searched for .jsonl and .jsonl.gz files, and - is stdin.

Costs: A recorded cost (usd) counts as is, and null as unpriced. Calls without usd are priced with the price list of their day, and
all calls with today's if you set --reprice. Calls that can't be priced are counted as unpriced, with a reason, and left out of the totals.

Sessions: --sessions reads the session files of Claude Code, Codex, Gemini CLI, opencode, Copilot CLI, pi, Qwen Code and Droid.
Their calls have the labels program, project and session. --explain says what these files lack.

See also: mesh help usage-flags (periods, groups, formats), mesh help budgets, mesh help exit-status.`,
		Example: `  mesh usage calls
  mesh usage --sessions --by project
  mesh usage calls --last 28d
  mesh usage calls --month 2026-10 --by day,model
  mesh usage calls --label team=search --by month
  mesh usage calls --html page.html
  mesh usage calls --budget 100/month --fail-on budget,retired
  mesh usage calls --budget 5/day --line
  mesh usage calls --by team -o csv > teams.csv
  gunzip -c calls.jsonl.gz | mesh usage - -o json`,
		Args: func(cmd *cobra.Command, paths []string) error {
			if o.sessions = o.sessions || cmd.CalledAs() == "sessions"; o.sessions {
				return nil
			}
			if len(paths) == 0 {
				return exit.Usagef("name a file or directory with calls, or add --sessions to read what agent programs keep")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			o.paths, o.byGiven = paths, cmd.Flags().Changed("by")
			if !cmd.Flags().Changed("tz") {
				o.tz = os.Getenv(ZoneVariable)
			}
			if o.sessions {
				o.usual = sessions.Paths()
				o.paths = append(o.paths, o.usual...)
			}
			if len(o.paths) == 0 && !o.line {
				a.Note(noneIn("agent sessions", sessions.Places()))
				return nil
			}
			return o.run()
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *Options) addFlags(cmd *cobra.Command) {
	o.AllowAll = true
	o.Flags.Add(cmd, "first `TIME`: a day, 7d (days ago) or RFC 3339", "end `TIME`, exclusive")
	flags := cmd.Flags()
	flags.Lookup("last").Usage = "the last `DAYS`: 28d, 1w or month (full ones), or all"
	flags.StringSliceVar(&o.by, "by", []string{"provider", "model"}, "`GROUPS` (mesh help usage-flags)")
	flags.BoolVar(&o.sessions, "sessions", false, "also read agent sessions in their usual directories")
	flags.BoolVar(&o.subscription, "subscription", false, "a subscription pays for the sessions: no charge")
	flags.BoolVar(&o.reprice, "reprice", false, "ignore recorded costs and use today's prices")
	flags.StringVar(&o.html, "html", "", "write an HTML report (the last 28 full days) to this `FILE`")
	flags.StringVar(&o.title, "title", "", "`TITLE` of the HTML report")
	flags.StringVar(&o.account, "account", "", "BillingAccountId of -o focus (default \"default\")")
	flags.StringVar(&o.tz, "tz", "", "time `ZONE`: local, UTC or a name (default $"+ZoneVariable+", else UTC)")
	flags.StringArrayVar(&o.budgets, "budget", nil, "show what's left of this `LIMIT`, such as 5/day (mesh help budgets)")
	flags.BoolVar(&o.chargesOnly, "charges-only", false, "leave subscription calls out of --budget")
	flags.StringSliceVar(&o.failOn, "fail-on", nil, "exit with 1 if one of these `RULES` fires (mesh help budgets)")
	flags.BoolVar(&o.line, "line", false, "print one line on calls in FILE, or with --sessions")
	flags.BoolVar(&o.strict, "strict", false, "exit with 2 if a line of a session file can't be read")
	flags.BoolVar(&o.explain, "explain", false, "say what session files lack, and list unreadable lines")
	flags.BoolVar(&o.explain, "verbose", false, "")
	flags.BoolVar(&o.all, "all", false, "on a terminal, show all rows")
	flags.Lookup("verbose").Hidden = true // former name for --explain
	app.Complete(cmd, "fail-on", completeList(adviceCodes...))
	app.Complete(cmd, "by", completeList(append(slices.Clone(fields), "label:")...))
	app.Complete(cmd, "tz", cobra.FixedCompletions([]string{"local", "UTC"}, cobra.ShellCompDirectiveNoFileComp))
	app.PricesFlag(o.App, cmd)
}

// completeList completes comma-separated names, each at most once.
func completeList(all ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, prefix string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		given := prefix[:strings.LastIndex(prefix, ",")+1]
		for _, name := range all {
			if !slices.Contains(strings.Split(given, ","), name) {
				names = append(names, given+name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
	}
}
