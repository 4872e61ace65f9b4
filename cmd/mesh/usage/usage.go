// Package usage is mesh usage: what the calls of files cost, as a report, a table, a line or rows of FOCUS.
package usage

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/selection"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// completeList completes the last of names that have commas between them.
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

// Options are the flags of mesh usage.
type Options struct {
	*app.App
	selection.Flags
	paths, usual              []string // usual are those of --sessions
	by, budgets, failOn       []string
	html, account             string
	reprice, byGiven          bool
	all, line                 bool
	strict, verbose           bool
	sessions                  bool
	subscription, chargesOnly bool

	in *callsfiles.Files
	// selected selects and prices the calls.
	selected calls.Options
	reader   *sessions.Reader
	said     sessions.Said
}

// New returns the command mesh usage.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "usage FILE|DIR|-...",
		Short: "Add up the calls of files that mesh meter wrote, or of files of usage objects",
		Long: `Usage adds up calls: their number, tokens and cost. It reads files, folders with files that end in .jsonl or .jsonl.gz, and
stdin for -. A line is a call, as mesh meter --log writes it, or with as little as

  {"provider":"openai","model":"gpt-5.2","time":"2026-11-21T07:54:15Z",
   "usage":{...}}

where usage is the usage object of the provider's response, unchanged. The provider is optional if the name of the model
determines it.

Session files of Claude Code, Codex, Gemini CLI, opencode, Copilot CLI, pi, Qwen Code and Droid are recognized by their content;
--sessions reads those in the usual folders. Their calls have the labels program, project and session, and the list prices of their
days. Each session is compared with the totals that the program states: what its lines do not have is added (Claude Code, as after a
compaction) or noted. Lines that cannot be read are noted, too; with --strict they are errors, as in calls files.

The files do not state failed calls, fees, most tiers, some lifetimes of cache writes (five minutes are assumed), and whether a
subscription paid: --subscription does. A call that was also metered counts once if the file has the id of its response: those of Claude
Code, Codex, Copilot CLI and pi. It has the labels of both. Deleted files are not known: Claude Code keeps 30 days.

The recorded cost (usd) counts; a line without one is priced. --reprice prices all calls with today's price list. Calls
without a known cost are unpriced: they are counted, with the reasons, and are in no sum.

-o focus writes rows of the FinOps Open Cost and Usage Specification (FOCUS) 1.2 instead, as CSV. Unpriced calls have
no row; they are counted on stderr, and the exit status is 1.

All calls count, or those of --from and --to or --last, on a terminal and in a pipe; the period is printed. On a terminal the table
is followed by what is not known, the month and what to do next, and --last 28d also has the change against the 28 days before. Names
are never cut: columns are left out where they do not fit. A pipe, -o csv and -o json get all rows, columns and digits. -o json also has
the data of the --html page. On a terminal INPUT is all input, and CACHED the part of it that was read from caches; elsewhere
INPUT is the input without caches, which have columns of their own.

--budget shows what is left of a budget of mesh meter in the present day or month, in UTC; one without either is about all calls of the
files, whatever --from, --to and --last are. As in mesh meter, a call counts with its cost, or with what it costs at least where that is
not known, and with what the provider behind OpenRouter bills besides; calls of a subscription count, unless --charges-only is given. With
--label everything, budgets included, is about the calls with that label, although mesh meter counts all calls towards its budgets.

--fail-on lets a step of CI fail if a rule fires in the last 28 full days, or in the days that are chosen: retired (calls of a retired model fail), retiring (a model retires within 14 days),
budget (exceeded, or will be), label (one value of a label caused a fifth or more of the increase), errors (3 % of the calls of a model)
and unpriced. The rule is printed on stderr, and the exit status is 1.

--line prints one line for a status bar, such as "today 3.12 USD, 214 calls, 5/day: 62 %". It reads only files of the present day, and of
the periods of --budget, as far as their names begin with a day.

A line that cannot be read is reported, and the sums are those of the others; the exit status is then 2.`,
		Example: "  mesh usage calls\n  mesh usage --sessions --by label:project\n  mesh usage calls --last 28d\n  mesh usage calls --by day,model\n  mesh usage calls --by month --label team=search\n  mesh usage calls --html page.html\n  mesh usage calls --budget 100/month --fail-on budget,retired\n  mesh usage calls --budget 5/day --line\n  mesh usage calls --by label:team -o csv > teams.csv\n  gunzip -c calls.jsonl.gz | mesh usage - -o json",
		Args: func(cmd *cobra.Command, paths []string) error {
			if o.sessions {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, paths)
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			o.paths, o.byGiven = paths, cmd.Flags().Changed("by")
			if o.sessions {
				o.usual = sessions.Paths()
				o.paths = append(o.paths, o.usual...)
			}
			if len(o.paths) == 0 {
				a.Note(noSessions)
				return nil
			}
			return o.run()
		},
	}
	o.Flags.Add(cmd, "day or RFC 3339 time of the first call; 7d is seven days ago, 00:00 UTC", "day or RFC 3339 time after the last call",
		"count only the calls with a label, as NAME=VALUE, or without it, as NAME=; repeatable: a call must match all")
	flags := cmd.Flags()
	flags.StringSliceVar(&o.by, "by", []string{"provider", "model"}, "what to add up by: day, week (its Monday), month, provider, platform, model, label:NAME, unpriced (the reason); several with commas")
	flags.BoolVar(&o.sessions, "sessions", false, "also read the sessions of agent programs in their usual folders")
	flags.BoolVar(&o.subscription, "subscription", false, "calls of session files are those of a subscription: their list price is not a charge")
	flags.BoolVar(&o.reprice, "reprice", false, "compute all costs with today's price list, instead of those that were recorded")
	flags.StringVar(&o.html, "html", "", "file that receives a page: what calls cost and why that changed, the month, and what to do; without --from and --to, of the last 28 full days")
	flags.StringVar(&o.account, "account", "", "BillingAccountId of -o focus (default \"default\")")
	flags.StringArrayVar(&o.budgets, "budget", nil, "show what is left of a budget, such as 5/day, 100/month or 2/day/label:user for the value that spent most; 5 is for all calls of the files; repeatable")
	flags.BoolVar(&o.chargesOnly, "charges-only", false, "let --budget count only what is charged, as of mesh meter: no calls of a subscription")
	flags.StringSliceVar(&o.failOn, "fail-on", nil, "exit with 1 if a rule fires: "+strings.Join(adviceCodes, ", ")+"; several with commas")
	flags.BoolVar(&o.line, "line", false, "print one line with the calls of today, in UTC, and the part of each --budget that is spent")
	flags.BoolVar(&o.strict, "strict", false, "exit with 2 if a line of a session file cannot be read, as with calls files")
	flags.BoolVar(&o.verbose, "verbose", false, "list all lines that cannot be read and all notes about sessions")
	flags.BoolVar(&o.all, "all", false, "on a terminal, show all rows")
	app.Complete(cmd, "fail-on", completeList(adviceCodes...))
	app.Complete(cmd, "by", completeList("day", "week", "month", "provider", "platform", "model", "label:", "unpriced"))
	app.PricesFlag(a, cmd)
	return cmd
}

const noSessions = "there are no sessions of agent programs in their usual folders; mesh usage DIR reads those of another folder"

// check checks the flags, and sets which calls they select.
func (o *Options) check() (err error) {
	if err := o.Parse(); err != nil {
		return err
	}
	switch focus := o.Format == "focus"; {
	case focus && (o.reprice || o.html != "" || o.byGiven):
		return exit.Usagef("-o focus has rows of its own; it cannot be used with --by, --reprice or --html")
	case (focus || o.Format == "csv") && len(o.budgets) > 0:
		return exit.Usagef("--budget is not for -o %s", o.Format)
	case !focus && o.account != "":
		return exit.Usagef("--account is only for -o focus")
	case focus && len(o.failOn) > 0:
		return exit.Usagef("--fail-on is not for -o focus")
	case o.line && (o.Format != "text" || o.byGiven || o.From+o.To+o.Last+o.html != "" || len(o.failOn) > 0 || o.reprice || o.all):
		return exit.Usagef("--line is one line of text; of the other flags it has --budget, --charges-only and --label only")
	}
	for _, text := range o.budgets {
		if _, err := meter.ParseBudget(text); err != nil {
			return err
		}
	}
	for _, code := range o.failOn {
		if !slices.Contains(adviceCodes, code) {
			return exit.Usagef("--fail-on %q must be %s", code, strings.Join(adviceCodes, ", "))
		}
	}
	if slices.Contains(o.failOn, report.CodeBudget) && len(o.budgets) == 0 {
		return exit.Usagef("--fail-on budget checks --budget, which is missing")
	}
	o.selected = calls.Options{Reprice: o.reprice, Subscription: o.subscription, MatchLabels: o.Match}
	if o.selected.From, o.selected.To, err = o.Times(time.Now()); err != nil {
		return err
	}
	return page.Check(o.App, o.html, o.paths...)
}

// run prints what the calls of the files cost.
func (o *Options) run() error {
	err := o.check()
	if err != nil {
		return err
	}
	if o.selected.Prices, _, err = o.PriceList(); err != nil {
		return err
	}
	if o.in, err = o.OpenCalls(o.paths); err != nil {
		return err
	}
	defer o.in.Close()
	o.selected.OnCopies = o.in.OnCopies(o.Warn)
	o.readSessions()
	if o.line {
		return o.printLine(time.Now())
	}
	o.selected.OnRead = o.ReadingCalls("reading calls", o.in)
	if o.Format == "focus" {
		return o.writeFocus()
	}
	sums, err := costs.Read(o.by, o.selected, o.in.Paths...)
	err = o.said.Rest(err)
	o.tell()
	sums.Notes = o.said.Notes
	unread := exit.WrongUse(o.in.Rename(err))
	if sums.Calls == 0 {
		switch err := cmp.Or(o.unsupported(), unread); {
		case err != nil:
			return err
		case o.onlyUsual() && o.Format == "text":
			o.Note("there are no calls in the usual folders of agent programs")
			return nil
		}
	}
	if unread != nil {
		sums.Errors = strings.Split(output.Error(unread), "\n")
	}
	r, text, err := o.reports(sums)
	if err != nil {
		return err
	}
	sums.OldPrices = table.OldPrices(o.selected.Prices.AsOf().Format(time.DateOnly), time.Now())
	if r != nil {
		sums.Budgets, sums.Part = r.Budgets, o.From+o.To+o.Last != ""
	}
	if o.html != "" {
		if err := page.WriteHTML(o.App, o.html, r); err != nil {
			return err
		}
	}
	o.warnEmpty(sums)
	if err := o.print(sums, r, text); err != nil {
		return err
	}
	return cmp.Or(unread, o.checkRules(r))
}

// readSessions makes the command read session files.
func (o *Options) readSessions() {
	o.reader = sessions.New(o.selected.Prices)
	o.reader.OnCopies = o.selected.OnCopies
	o.said.Listen(o.reader, o.strict, o.usual)
	o.reader.Read(&o.selected)
}

// tell says what was found about sessions. When the files are read again nothing is said.
func (o *Options) tell() {
	o.selected.OnCopies, o.reader.OnCopies = func(calls.Copies) {}, nil
	o.said.Tell(o.verbose, o.in.Rename, func(text string) { o.Note(output.Line(text)) })
}

// tellShort is tell for output that has no place for notes.
func (o *Options) tellShort() {
	if text := o.said.Short(); text != "" {
		o.Note(text)
	}
}

// onlyUsual reports whether --sessions is all that selects calls.
func (o *Options) onlyUsual() bool {
	return len(o.paths) == len(o.usual) && o.From+o.To+o.Last+o.html == "" && o.Match == nil && len(o.budgets)+len(o.failOn) == 0
}

// unsupported returns the error of a path whose program is known and not read.
func (o *Options) unsupported() error {
	for _, path := range o.in.Given {
		if err := sessions.Unsupported(path); err != nil {
			return exit.WrongUse(err)
		}
	}
	return nil
}

// print prints the sums of the calls, or on a terminal a report of the same calls as text. r is the report of -o json.
func (o *Options) print(sums *costs.Report, r, text *report.Report) error {
	switch {
	case text != nil:
		return o.printText(text, sums)
	case o.Format == "csv":
		if sums.OldPrices != "" {
			o.Note("prices: " + sums.OldPrices)
		}
		o.Progress.Stop()
		return sums.CSV(o.Out)
	}
	return o.Print(usageJSON{sums, r}, sums.Table)
}

// warnEmpty warns if there are no calls, or none with a label of --by.
func (o *Options) warnEmpty(sums *costs.Report) {
	if sums.Calls == 0 {
		if !o.warnLabels() {
			o.Warn(errors.New("there are no calls (of a folder, files that end in .jsonl or .jsonl.gz and the sessions of agents are read; --from, --to and --label select)"))
		}
		return
	}
	for _, by := range sums.By {
		label, labelled := strings.CutPrefix(by, calls.ByLabel(""))
		if labelled && !slices.ContainsFunc(sums.Rows, func(row calls.Group) bool { return row.Value(by) != "" }) {
			o.Warn(fmt.Errorf("--by: no call has the label %q", label))
		}
	}
}

// warnLabels reports whether a label of --label is why there are no calls, and warns about it: no call of the time has it, or has the value.
func (o *Options) warnLabels() (warned bool) {
	opts := o.selected
	opts.MatchLabels, opts.OnRead = nil, nil
	for _, name := range slices.Sorted(maps.Keys(o.Match)) {
		by := calls.ByLabel(name)
		opts.By = [][]string{{by}}
		sums, _ := calls.Sum(opts, o.in.Paths...) // lines that cannot be read were reported
		groups := sums[0]
		if len(groups) == 0 || slices.ContainsFunc(groups, func(g calls.Group) bool { return g.Value(by) == o.Match[name] }) {
			continue
		}
		var values []string
		for _, g := range groups {
			if value := g.Value(by); value != "" {
				values = append(values, strconv.Quote(value))
			}
		}
		if values == nil {
			o.Warn(fmt.Errorf("--label: no call has the label %q", name))
		} else {
			o.Warn(fmt.Errorf("--label: no call has %s=%s; it is one of %s", name, o.Match[name], strings.Join(values[:min(len(values), maxValues)], ", ")))
		}
		warned = true
	}
	return warned
}

// maxValues is the number of values of a label that a warning names.
const maxValues = 10
