// Package usage implements mesh usage, which shows LLM costs as a report, a table, a
// status line or FOCUS rows.
package usage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
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

// Options has the flags of mesh usage and its state while it runs.
type Options struct {
	*app.App
	selection.Flags
	paths, usual              []string // usual is where --sessions looks
	by, budgets, failOn       []string
	html, title, account, tz  string
	reprice, byGiven          bool
	all, line                 bool
	strict, explain           bool
	sessions                  bool
	subscription, chargesOnly bool

	in       *callsfiles.Files
	selected calls.Options
	plain    []string       // --by names that became labels
	zone     *time.Location // nil is UTC
	reader   *sessions.Reader
	said     sessions.Said
}

// check validates the flags and sets o.selected and o.zone.
func (o *Options) check(now time.Time) (err error) {
	if err := cmp.Or(o.Parse(), o.parseBy()); err != nil {
		return err
	}
	switch focus := o.Format == "focus"; {
	case focus && (o.reprice || o.html != "" || o.byGiven):
		return exit.Usagef("-o focus has fixed rows; it cannot be used with --by, --reprice or --html")
	case (focus || o.Format == "csv") && len(o.budgets) > 0:
		return exit.Usagef("--budget cannot be used with -o %s", o.Format)
	case !focus && o.account != "":
		return exit.Usagef("--account is only for -o focus")
	case focus && len(o.failOn) > 0:
		return exit.Usagef("--fail-on cannot be used with -o focus")
	case o.title != "" && o.html == "":
		return exit.Usagef("--title is only for --html")
	case o.line && (o.Format != "text" || o.byGiven || o.HasPeriod() || o.html != "" || len(o.failOn) > 0 || o.reprice || o.all):
		return exit.Usagef("--line cannot be used with -o, --by, --last, --month, --from, --to, --html, --fail-on, --reprice or --all")
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
		return exit.Usagef("--fail-on budget needs --budget")
	}
	if err := o.selectCalls(now); err != nil {
		return err
	}
	return page.Check(o.App, o.html, o.paths...)
}

func (o *Options) selectCalls(now time.Time) (err error) {
	if o.zone, err = parseZone(o.tz); err != nil {
		return err
	}
	now = now.UTC()
	if o.zone != nil {
		now = now.In(o.zone)
	}
	o.selected = calls.Options{Reprice: o.reprice, Subscription: o.subscription, MatchLabels: o.Match, Location: o.zone}
	if o.firstLook() {
		o.selected.From, _ = dates.Day("13d", now)
		o.selected.To, _ = dates.Day("0d", now.AddDate(0, 0, 1))
		return nil
	}
	o.selected.From, o.selected.To, err = o.Times(now)
	return err
}

// parseZone returns nil for UTC.
func parseZone(name string) (*time.Location, error) {
	switch strings.ToLower(name) {
	case "", "utc":
		return nil, nil
	case "local":
		return time.Local, nil //nolint:gosmopolitan // the user asks for it
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, exit.Usagef("--tz %q must be local, UTC or a name such as Europe/Berlin", name)
	}
	return zone, nil
}

// onTerminal reports whether a person reads the text.
func (o *Options) onTerminal() bool { return o.Format == "text" && output.Width(o.Out) > 0 }

// firstLook reports whether to show the last 14 days: a person asked for nothing else.
func (o *Options) firstLook() bool {
	return o.onTerminal() && !o.HasPeriod() && !o.byGiven && !o.all && !o.line && o.html == "" && len(o.failOn) == 0
}

func (o *Options) run() error {
	err := o.check(time.Now())
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
			o.Note(noneIn("calls", o.usual))
			return nil
		}
	}
	if unread != nil {
		sums.Errors = strings.Split(output.Error(unread), "\n")
	}
	if err := o.checkBy(sums); err != nil {
		return err
	}
	r, text, err := o.reports(sums)
	if err != nil {
		return err
	}
	sums.AddPromotions(o.selected.Prices, time.Now())
	sums.OldPrices = table.OldPrices(o.selected.Prices.AsOf().Format(time.DateOnly), time.Now())
	if r != nil {
		sums.Budgets, sums.Part = r.Budgets, o.HasPeriod()
	}
	if o.html != "" {
		if err := page.WriteHTML(o.html, o.title, r); err != nil {
			return err
		}
	}
	o.warnEmpty(sums, text)
	if err := o.print(sums, r, text); err != nil {
		return err
	}
	return cmp.Or(unread, o.checkRules(r))
}

// readSessions adds a session file decoder to o.selected.
func (o *Options) readSessions() {
	o.reader = sessions.New(o.selected.Prices)
	o.said.Listen(o.reader, o.strict, o.usual)
	o.reader.OnCopies = o.in.OnCopies(func(err error) { o.reader.OnNote(err.Error()) })
	o.reader.Read(&o.selected)
}

// tell prints session notes: one line, or all with --explain. It silences later reads,
// which would repeat them.
func (o *Options) tell() {
	o.selected.OnCopies, o.reader.OnCopies = func(calls.Copies) {}, nil
	o.said.Tell(o.explain, o.in.Rename, func(text string) { o.Note(output.Line(text)) })
}

// tellShort is tell for output without room for notes.
func (o *Options) tellShort() {
	if text := o.said.Short(); text != "" {
		o.Note(text)
	}
}

// onlyUsual reports whether --sessions alone selects calls.
func (o *Options) onlyUsual() bool {
	return len(o.paths) == len(o.usual) && !o.HasPeriod() && !o.firstLook() && o.html == "" && o.Match == nil && len(o.budgets)+len(o.failOn) == 0
}

func noneIn(what string, places []string) string {
	return output.Line("there are no " + what + " in " + strings.Join(places, ", ") + "; mesh usage DIR reads others")
}

// unsupported returns an error if a path belongs to a known agent program whose files
// aren't read.
func (o *Options) unsupported() error {
	for _, path := range o.in.Given {
		if err := sessions.Unsupported(path); err != nil {
			return exit.WrongUse(err)
		}
	}
	return nil
}

// onlyPage reports whether an HTML page is the only output.
func (o *Options) onlyPage() bool {
	return o.html != "" && o.Format == "text" && !o.byGiven && !o.all
}

// print writes text if it's set (on a terminal), else sums; -o json adds r.
func (o *Options) print(sums *costs.Sums, r, text *report.Report) error {
	switch {
	case o.onlyPage():
		return o.Print(nil, output.Fixed(output.Line(o.html)+": "+r.Headline()+"\n"))
	case o.html != "":
		o.Note("wrote " + output.Line(o.html))
	}
	switch {
	case text != nil:
		err := o.printText(text, sums)
		o.printPromotions(sums)
		return err
	case o.Format == "csv":
		if sums.OldPrices != "" {
			o.Note("prices: " + sums.OldPrices)
		}
		o.Progress.Stop()
		return sums.CSV(o.Out)
	}
	if o.Format == "json" && r != nil {
		r.InZone(o.zone)
	}
	return o.Print(usageJSON{sums, r}, sums.Table)
}
