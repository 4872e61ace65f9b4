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

// Options select the calls of [Read] and [Sum], and price and group them.
type Options struct {
	// From and To select the calls that were sent at or after From and before To. A zero time leaves that end open.
	From, To time.Time
	// MatchLabels selects the calls that have all of these labels, as [Record.HasLabels] reports; nil selects all calls.
	MatchLabels map[string]string
	// By has a grouping for each result; all are made in one pass. A grouping has one or more of [ByDay] and the other
	// constants, and [ByLabel]. An empty grouping gives one Group. Without any grouping there is one result with one Group.
	By [][]string
	// Prices price a line that has neither a cost nor null in its place; nil is [prices.BuiltIn].
	Prices *prices.List
	// Reprice computes the cost of all calls, whatever was recorded, except of those without the counts for it: streams that were
	// closed early, endpoints without counts, and calls that were answered with an error status.
	Reprice bool
	// Subscription makes the calls of session files those of a subscription ([Record].Billing), which no such file states.
	Subscription bool
	// OnRead, if it is set, is called after each read of a file with the number of its bytes, which may be compressed: for a line that shows
	// progress. It is called by one goroutine at a time.
	OnRead func(bytes int)
	// OnCopies, if it is set, is called after reading for each file with records that do not count, because others of the same calls do.
	// Otherwise they are logged to [slog.Default].
	OnCopies func(Copies)
	// Recorded makes Read yield the records as they are in the files, including copies, without counting them. A file whose
	// name begins with a day, such as 2026-11-22-X2FQ….jsonl, is not opened if that day is earlier than the one before From
	// (UTC). Sum ignores it.
	Recorded bool
	// Decode, if it is set, returns what reads a file in the format of another program, or nil for a calls file. head is the beginning of
	// the file, unpacked: up to 64 KiB. Without Decode such a file is [ErrUnsupported].
	//
	// Those files are read before all others, one at a time. After all files Decode is called again, with an empty path, for records
	// that depend on other files; it may return nil.
	Decode func(path string, head []byte) Decoder
	// Join, if it is set, is called with each record of a calls file that counts, in the order in which they count and one at a time. It
	// may set Labels to other ones, and must not keep texts of the record. With Sum Labels has only those that are needed, and "session".
	// Read does not call it if Recorded is set.
	Join func(file string, r *Record)
}

// Decoder yields the records of a file, and a [*LineError] for each line that cannot be read.
type Decoder func(file io.Reader) iter.Seq2[Record, error]

func (o *Options) source(paths []string) *sharedBlocks {
	s := &sharedBlocks{paths: paths, onRead: o.OnRead, onCopies: o.OnCopies, all: o.Recorded, copies: copies{off: o.Recorded, join: o.Join}, decode: o.Decode}
	if o.Recorded {
		s.from = firstDay(o.From)
	}
	return s
}

// Group is the sum of the calls with the same values.
type Group struct {
	// By has the values of its grouping in Options.By, in the same order: "" for a call without that label, and for the reason of a priced call.
	By []string `json:"by"`
	// Names is that grouping. It must not be changed: groups share it.
	Names []string `json:"-"`
	// Calls is the number of all calls, and Unpriced the number of calls whose cost is not known.
	Calls    int `json:"calls"`
	Unpriced int `json:"unpriced"`
	// WithoutLine is the number of records of programs that state more than their lines have ([Record].WithoutLine); they are not in Calls.
	WithoutLine int `json:"without_a_line,omitempty"`
	// Failed calls have a status that is neither 0 nor 2xx, or no status, no usage and a reason for an unknown cost.
	Failed int `json:"failed"`
	// Usage has the sums of the counts of charged calls, as far as they are known. Mode and
	// ChargedUSD are "". SubscriptionUsage has those of calls of a subscription.
	Usage             prices.Usage `json:"usage"`
	SubscriptionUsage prices.Usage `json:"subscription_usage"`
	// USD is the exact sum of the known costs in US dollars, as a plain decimal.
	USD prices.USD `json:"usd"`
	// FeesUSD is the part of USD that is fees for uses of tools, at list prices. A charge that a provider stated has none.
	FeesUSD prices.USD `json:"fees_usd"`
	// Bounded is the number of unpriced calls of which it is known what they cost at least ([Record].BoundUSD), BoundUSD what these cost
	// at least, and AtLeastUSD the sum of USD and BoundUSD.
	Bounded    int        `json:"bounded"`
	BoundUSD   prices.USD `json:"bound_usd"`
	AtLeastUSD prices.USD `json:"at_least_usd"`
	// Subscription is the part of USD that is the list price of calls of a subscription ([Record].Billing), and not a charge.
	Subscription prices.USD `json:"subscription"`
	// UpstreamUSD is what the providers behind OpenRouter bill besides USD ([Record].UpstreamUSD). Budgets count it, and USD does not have it.
	UpstreamUSD prices.USD `json:"upstream_usd"`
}

// Value returns the value of [ByDay], for example; "" if the group is not by that name.
func (g *Group) Value(name string) string {
	if i := slices.Index(g.Names, name); i >= 0 && i < len(g.By) {
		return g.By[i]
	}
	return ""
}

// String returns a line such as "2026-11-21 gpt-5.2 0.0345 USD; calls: 3, unpriced: 0".
func (g Group) String() string {
	text := fmt.Sprintf("%s USD; calls: %d, unpriced: %d", cmp.Or(g.USD, "0"), g.Calls, g.Unpriced)
	for _, value := range slices.Backward(g.By) {
		text = cmp.Or(value, "-") + " " + text
	}
	return text
}

// ExpenseUSD returns what the calls cost a budget without a PerCall: AtLeastUSD and UpstreamUSD.
func (g *Group) ExpenseUSD() prices.USD { return g.AtLeastUSD.Add(g.UpstreamUSD) }

// maxWorkers bounds the memory of a Sum on a machine with many processors.
const maxWorkers = 16

// Sum adds up the calls of calls files, which are read as by [Read], in parallel, and returns the groups of each grouping. They are
// sorted by their values, and each has a call. Memory grows with the number of groups, and up to a limit with the number of calls, to
// recognize copies.
//
// The recorded cost counts, unless Options.Reprice is set. Records of one call count once, as [Copies] describes.
//
// Lines that cannot be read, lines without a cost whose usage is invalid, and lines whose tokens no longer fit in a sum are in
// no group. The error joins a [*LineError] for each of
// the first 100 of them and states the number of the others. Wrong options are a [*ValueError], and no file is read.
func Sum(opts Options, paths ...string) ([][]Group, error) {
	groupings, err := parseGroupings(opts.By)
	if err != nil {
		return nil, err
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

// summer adds up calls. Each goroutine has its own.
type summer struct {
	opts  Options
	lines *lines
	errs  *lineErrors
	sums  []*sums // of each grouping
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

// selects reports whether a record is one of the options.
func (o *Options) selects(r *Record) bool {
	return !r.Time.Before(o.From) && (o.To.IsZero() || r.Time.Before(o.To)) && r.HasLabels(o.MatchLabels)
}

// add adds the calls of a block.
func (s *summer) add(b *block) bool {
	return s.lines.yield(func(r *Record, err error) bool {
		switch {
		case err != nil:
			s.errs.add(b.number, err)
		case s.opts.selects(r):
			for _, sums := range s.sums {
				sums.add(r, s.opts.Prices)
			}
		}
		return true
	})
}

// rows returns the rows of all groups.
func (s *sums) rows() []Group {
	var rows []Group
	for _, g := range s.groups {
		rows = append(rows, g.sum())
	}
	slices.SortFunc(rows, func(a, b Group) int { return slices.Compare(a.By, b.By) })
	return rows
}

// maxErrors is the number of errors that a Sum returns.
const maxErrors = 100

// lineErrors are the first errors in the order of the files and lines, which goroutines find in any order.
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
	line := 0 // of a folder or a file that cannot be opened
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

// trim keeps the first errors.
func (l *lineErrors) trim() {
	slices.SortFunc(l.first, func(a, b lineError) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	if over := len(l.first) - maxErrors; over > 0 {
		l.first, l.more = l.first[:maxErrors], l.more+over
	}
}

// join returns all errors as one, or nil.
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
