package calls

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Options select, price and group calls for [Read] and [Sum].
type Options struct {
	// From and To select calls sent at or after From and before To. Zero leaves that end
	// open.
	From, To time.Time
	// MatchLabels selects calls that have all these labels, as [Record.HasLabels]
	// reports.
	MatchLabels map[string]string
	// By has a grouping for each result, all made in one pass: [ByDay] or the other
	// constants, and [ByLabel]. An empty grouping gives one Group, as does an empty By.
	By [][]string
	// Location is the zone of days, weeks and months in By; nil is UTC.
	Location *time.Location
	// Prices is used for lines without a cost. If the cost is null, it stays unknown. nil
	// means [prices.BuiltIn].
	Prices *prices.List
	// Reprice replaces recorded costs, unless the counts don't suffice: for streams closed
	// early, endpoints without counts, and error statuses.
	Reprice bool
	// Subscription marks calls from session files as paid by a subscription
	// ([Record].Billing), because the files don't tell.
	Subscription bool
	// OnRead, unless nil, is called after each read with its size, which may be
	// compressed, for a progress display. Calls don't overlap.
	OnRead func(bytes int)
	// OnCopies, unless nil, is called at the end for each file with [Copies]. Otherwise
	// they are logged to [slog.Default].
	OnCopies func(Copies)
	// Recorded makes Read yield records as they are, copies included. Files named for a day,
	// such as 2026-11-22-X2FQ….jsonl, are skipped if they are older than the day before From
	// (UTC). Sum ignores it.
	Recorded bool
	// Decode, unless nil, returns another format's decoder, or nil for a calls file. head
	// is the beginning, unpacked, up to 64 KiB. Without Decode other formats are
	// [ErrUnsupported].
	//
	// Such files are read first, one at a time. At the end Decode is called with an empty
	// path, for records that depend on other files; it may return nil.
	Decode func(path string, head []byte) Decoder
	// Join, unless nil, is called with each record that counts in a calls file, in order
	// and one at a time. It may set Labels, and must not keep strings from the record.
	// With Sum, Labels has only the needed ones and "session". Read ignores Join if
	// Recorded is set.
	Join func(file string, r *Record)
}

// Decoder yields a file's records, and a [*LineError] for each invalid line.
type Decoder func(file io.Reader) iter.Seq2[Record, error]

func (o *Options) source(paths []string) *sharedBlocks {
	s := &sharedBlocks{paths: paths, onRead: o.OnRead, onCopies: o.OnCopies, all: o.Recorded, copies: copies{off: o.Recorded, join: o.Join}, decode: o.Decode}
	if o.Recorded {
		s.from = firstDay(o.From)
	}
	return s
}

// Group is the sum of calls with the same values.
type Group struct {
	// Values has a value for each of Names. It's "" for a missing label, and in "unpriced"
	// for a call with a known cost.
	Values []string `json:"by"`
	// Names is the grouping. Groups share it: don't change it.
	Names []string `json:"-"`
	// Calls counts all calls, and Unpriced those with an unknown cost.
	Calls    int `json:"calls"`
	Unpriced int `json:"unpriced"`
	// WithoutLine counts records with [Record].WithoutLine, which are not in Calls.
	WithoutLine int `json:"without_a_line,omitempty"`
	// Failed counts calls whose status is neither 0 nor 2xx, or that have neither status,
	// usage nor cost.
	Failed int `json:"failed"`
	// Usage sums known counts in charged calls, and SubscriptionUsage those in a
	// subscription's. Mode and ChargedUSD are "".
	Usage             prices.Usage `json:"usage"`
	SubscriptionUsage prices.Usage `json:"subscription_usage"`
	// USD is the exact sum of known costs in US dollars, a plain decimal.
	USD prices.USD `json:"usd"`
	// FeesUSD is the part of USD that is list price fees for tools. Charges that a
	// provider stated add nothing.
	FeesUSD prices.USD `json:"fees_usd"`
	// Bounded counts unpriced calls with a lower bound ([Record].BoundUSD), BoundUSD sums
	// these, and AtLeastUSD is USD plus BoundUSD.
	Bounded    int        `json:"bounded"`
	BoundUSD   prices.USD `json:"bound_usd"`
	AtLeastUSD prices.USD `json:"at_least_usd"`
	// SubscriptionUSD is the part of USD that a subscription covers ([Record].Billing): list
	// prices, not charges.
	SubscriptionUSD prices.USD `json:"subscription"`
	// UpstreamUSD is what providers behind OpenRouter bill in addition to USD
	// ([Record].UpstreamUSD). Budgets include it.
	UpstreamUSD prices.USD `json:"upstream_usd"`
}

// Value returns the value for a name such as [ByDay], or "" if the grouping lacks it.
func (g *Group) Value(name string) string {
	if i := slices.Index(g.Names, name); i >= 0 && i < len(g.Values) {
		return g.Values[i]
	}
	return ""
}

// String returns a line such as "2026-11-21 gpt-5.2 0.0345 USD; calls: 3, unpriced: 0".
func (g Group) String() string {
	text := fmt.Sprintf("%s USD; calls: %d, unpriced: %d", cmp.Or(g.USD, "0"), g.Calls, g.Unpriced)
	for _, value := range slices.Backward(g.Values) {
		text = cmp.Or(value, "-") + " " + text
	}
	return text
}

// ExpenseUSD returns AtLeastUSD plus UpstreamUSD. Compare it with your limit, as a
// meter.Budget without PerCall does.
func (g *Group) ExpenseUSD() prices.USD { return g.AtLeastUSD.Add(g.UpstreamUSD) }

// maxWorkers bounds memory.
const maxWorkers = 16

// Sum reads files like [Read] and adds up their calls. It returns the groups for each
// grouping in opts.By, sorted by value:
//
//	sums, err := calls.Sum(calls.Options{By: [][]string{{calls.ByDay}, {calls.ByModel}}}, "/var/log/calls")
//	days, models := sums[0], sums[1]
//
// Recorded costs count, unless Options.Reprice is set. Records of the same call count
// once, as [Copies] describes. Memory grows with the groups, and up to a limit with the
// calls, to recognize copies.
//
// # Errors
//
// Invalid lines, lines without a cost whose usage is invalid, and lines whose tokens
// would overflow a sum are in no group. The error joins a [*LineError] for each of the
// first 100, and states how many others there are. Invalid options are a [*ValueError],
// and no file is read.
func Sum(opts Options, paths ...string) ([][]Group, error) {
	groupings, err := parseGroupings(opts.By)
	if err != nil {
		return nil, err
	}
	for _, by := range groupings {
		by.zone = opts.Location
	}
	if !opts.From.IsZero() && !opts.To.IsZero() && !opts.From.Before(opts.To) {
		return nil, invalid("To", "", "must be after From")
	}
	var errs lineErrors
	opts.Recorded = false
	if opts.Prices == nil {
		opts.Prices = prices.BuiltIn()
	}
	source := opts.source(paths)
	summers := make([]*summer, min(runtime.GOMAXPROCS(0), maxWorkers))
	var workers sync.WaitGroup
	for i := range summers {
		summers[i] = newSummer(opts, groupings, &errs)
		workers.Go(func() { summers[i].lines.each(source, summers[i].add) })
	}
	workers.Wait()
	rows := make([][]Group, len(groupings))
	for i, total := range summers[0].sums {
		for _, more := range summers[1:] {
			total.merge(more.sums[i])
		}
		rows[i] = total.rows()
	}
	return rows, errs.join()
}

// Each goroutine has its own summer.
type summer struct {
	opts  Options
	lines *lines
	errs  *lineErrors
	sums  []*sums // by grouping
}

func newSummer(opts Options, groupings []*grouping, errs *lineErrors) *summer {
	s := &summer{opts: opts, errs: errs, lines: opts.lines()}
	s.lines.in.borrows = true
	s.lines.in.only = slices.Sorted(maps.Keys(opts.MatchLabels))
	for _, by := range groupings {
		s.sums = append(s.sums, newSums(by))
		for _, name := range by.names {
			if label, labelled := strings.CutPrefix(name, labelPrefix); labelled && !slices.Contains(s.lines.in.only, label) {
				s.lines.in.only = append(s.lines.in.only, label)
			}
		}
	}
	if opts.Join != nil && !slices.Contains(s.lines.in.only, "session") {
		s.lines.in.only = append(s.lines.in.only, "session")
	}
	if s.lines.in.only == nil {
		s.lines.in.only = []string{}
	}
	return s
}

func (o *Options) selects(r *Record) bool {
	return !r.Time.Before(o.From) && (o.To.IsZero() || r.Time.Before(o.To)) && (o.MatchLabels == nil || r.HasLabels(o.MatchLabels))
}

func (s *summer) add(b *block) bool {
	return s.lines.yield(func(r *Record, err error) bool {
		switch {
		case err != nil:
			s.errs.add(b.number, err)
		case s.opts.selects(r):
			r.addTo(s.sums, s.opts.Prices)
		}
		return true
	})
}

func (s *sums) rows() []Group {
	var rows []Group
	for _, g := range s.groups {
		rows = append(rows, g.sum())
	}
	slices.SortFunc(rows, func(a, b Group) int { return slices.Compare(a.Values, b.Values) })
	return rows
}

const maxErrors = 100

// lineErrors keeps the first errors by file and line, though goroutines find them in any
// order.
type lineErrors struct {
	mu    sync.Mutex
	first []lineError
	more  int
}

type lineError struct {
	file, line int
	err        error
}

func (l *lineErrors) add(file int, err error) {
	line := 0 // a directory or file that can't be opened
	var at *LineError
	if errors.As(err, &at) {
		line = at.Line
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first = append(l.first, lineError{file, line, err}); len(l.first) == 2*maxErrors {
		l.trim()
	}
}

func (l *lineErrors) trim() {
	slices.SortFunc(l.first, func(a, b lineError) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	if over := len(l.first) - maxErrors; over > 0 {
		l.first, l.more = l.first[:maxErrors], l.more+over
	}
}

func (l *lineErrors) join() error {
	l.trim()
	var errs []error
	for _, e := range l.first {
		errs = append(errs, e.err)
	}
	if l.more > 0 {
		errs = append(errs, fmt.Errorf("calls: %d more lines cannot be read", l.more))
	}
	return errors.Join(errs...)
}
