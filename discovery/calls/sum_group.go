package calls

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lowerbound"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Groupings. Days, weeks and months are UTC unless
// Options.Location is set, and may be partly outside Options.From and To.
const (
	ByDay            = "day"             // such as "2026-11-21"
	ByWeek           = "week"            // its Monday, such as "2026-11-16"
	ByMonth          = "month"           // such as "2026-11"
	ByModel          = "model"           // Record.Model
	ByProvider       = "provider"        // Record.Provider
	ByPlatform       = "platform"        // Record.Platform
	ByUnpriced       = "unpriced"        // the reason if a cost is unknown
	ByBilling        = "billing"         // Record.Billing
	ByModelStage     = "model_stage"     // Record.ModelStage
	ByRetirementDate = "retirement_date" // Record.RetirementDate
)

// ByLabel groups by a label's value.
func ByLabel(name string) string { return labelPrefix + name }

const labelPrefix = "label:"

// groupingNames excludes labels.
var groupingNames = [...]string{ByDay, ByWeek, ByMonth, ByModel, ByProvider, ByPlatform, ByUnpriced, ByBilling, ByModelStage, ByRetirementDate}

type grouping struct {
	names []string
	zone  *time.Location // nil is UTC
}

// parseGroupings returns one empty grouping if by is empty.
func parseGroupings(by [][]string) ([]*grouping, error) {
	if len(by) == 0 {
		by = [][]string{nil}
	}
	groupings := make([]*grouping, len(by))
	for i, names := range by {
		g, err := parseGrouping(names)
		if err != nil {
			return nil, err
		}
		groupings[i] = g
	}
	return groupings, nil
}

func parseGrouping(names []string) (*grouping, error) {
	g := &grouping{names: slices.Clone(names)}
	for i, name := range names {
		label, labelled := strings.CutPrefix(name, labelPrefix)
		switch {
		case slices.Contains(names[:i], name):
			return nil, invalid("By", name, "is repeated")
		case labelled && label != "":
		case !slices.Contains(groupingNames[:], name):
			return nil, invalid("By", name, unknownColumn(name))
		}
	}
	return g, nil
}

// unknownColumn suggests label:NAME if name may be a label.
func unknownColumn(name string) string {
	const reason = "must be day, week, month, model, provider, platform, unpriced or label:NAME"
	if name == "" || strings.Contains(name, ":") {
		return reason
	}
	return reason + "; " + labelPrefix + name + " is the label " + name
}

type group struct {
	row          Group
	usd, bounds  decimal.Sum // known costs, and lower bounds
	fees         decimal.Sum // tools
	subscription decimal.Sum // known costs
	upstream     decimal.Sum
}

type sums struct {
	by     *grouping
	groups map[string]*group
	// key is a reused buffer for a call's group key: each value, followed by its length.
	key []byte
}

func newSums(by *grouping) *sums { return &sums{by: by, groups: make(map[string]*group)} }

// in bytes
const lengthSize = 4

func (s *sums) group(r *Record) *group {
	s.key = s.key[:0]
	for _, name := range s.by.names {
		begin := len(s.key)
		s.key = s.by.appendValue(s.key, name, r)
		s.key = binary.BigEndian.AppendUint32(s.key, uint32(len(s.key)-begin)) //nolint:gosec // a line is shorter
	}
	if g := s.groups[string(s.key)]; g != nil { // nearly always
		return g
	}
	return s.addGroup(r)
}

// addGroup returns a group whose values are valid UTF-8.
func (s *sums) addGroup(r *Record) *group {
	s.key = s.key[:0]
	for _, name := range s.by.names {
		begin := len(s.key)
		s.key = s.by.appendValue(s.key, name, r)
		if value := s.key[begin:]; !utf8.Valid(value) {
			s.key = append(s.key[:begin], jsonread.Text(value)...)
		}
		s.key = binary.BigEndian.AppendUint32(s.key, uint32(len(s.key)-begin)) //nolint:gosec // a line is shorter
	}
	g := s.groups[string(s.key)]
	if g == nil {
		key := string(s.key)
		g = &group{row: Group{Values: make([]string, len(s.by.names)), Names: s.by.names}}
		s.groups[key] = g
		for i := len(g.row.Values) - 1; i >= 0; i-- {
			end := len(key) - lengthSize
			begin := end - int(binary.BigEndian.Uint32([]byte(key[end:])))
			g.row.Values[i], key = key[begin:end], key[:begin]
		}
	}
	return g
}

func (g *grouping) appendValue(key []byte, name string, r *Record) []byte {
	switch name {
	case ByDay:
		return appendDay(key, calendar.Wall(r.Time, g.zone))
	case ByWeek:
		return appendDay(key, monday(calendar.Wall(r.Time, g.zone)))
	case ByMonth:
		key = appendDay(key, calendar.Wall(r.Time, g.zone))
		return key[:len(key)-len("-02")]
	case ByModel:
		return append(key, r.Model...)
	case ByProvider:
		return append(key, r.Provider...)
	case ByPlatform:
		return append(key, r.Platform...)
	case ByUnpriced:
		return append(key, r.Unpriced...)
	case ByBilling:
		return append(key, r.Billing...)
	case ByModelStage:
		return append(key, r.ModelStage...)
	case ByRetirementDate:
		return append(key, r.RetirementDate...)
	}
	return append(key, r.Labels[name[len(labelPrefix):]]...)
}

// appendDay cuts RFC 3339, because package time is slower with a day's layout.
func appendDay(text []byte, t time.Time) []byte {
	text = t.AppendFormat(text, time.RFC3339)
	return text[:len(text)-len("T00:00:00Z")]
}

// monday never returns a year below 1: the earliest day, 0001-01-01, is a Monday.
func monday(t time.Time) time.Time {
	const week = 7
	return t.AddDate(0, 0, -(int(t.Weekday()+week-time.Monday) % week))
}

// addTo adds a call to its group in each of the sums, and its advisors to theirs. The
// caller checks that all tokens fit in an int64.
func (r *Record) addTo(all []*sums, list *prices.List) {
	parts := r.apart(list)
	if parts == nil {
		r.addPart(all, list)
	}
	for i := range parts {
		parts[i].addPart(all, list)
	}
}

func (r *Record) addPart(all []*sums, list *prices.List) {
	a := r.amounts(list)
	for _, s := range all {
		s.group(r).add(r, &a)
	}
}

// amounts has a record's amounts. fees is the part of usd that is for tools.
type amounts struct {
	usd, bound, upstream, fees decimal.Decimal
	known, bounded             bool
}

func (r *Record) amounts(list *prices.List) (a amounts) {
	a.usd, a.known = decimal.ParsePlain(r.USD)
	a.bound, a.bounded = decimal.ParsePlain(r.BoundUSD)
	a.upstream, _ = decimal.ParsePlain(r.UpstreamUSD)
	if a.known {
		a.fees = feesOf(r, a.usd, list)
	}
	return a
}

func (g *group) usage(r *Record) *prices.Usage {
	if r.Subscribed() {
		return &g.row.SubscriptionUsage
	}
	return &g.row.Usage
}

func (g *group) add(r *Record, a *amounts) {
	if r.HasCounts {
		addUsage(g.usage(r), &r.Counts)
	}
	if r.WithoutLine {
		g.row.WithoutLine++
	} else {
		g.row.Calls++
	}
	if r.Failed() {
		g.row.Failed++
	}
	switch {
	case a.known:
		g.usd.Add(a.usd)
		g.fees.Add(a.fees)
		if r.Subscribed() {
			g.subscription.Add(a.usd)
		}
	case a.bounded:
		g.row.Bounded++
		g.bounds.Add(a.bound)
		fallthrough
	default:
		g.row.Unpriced++
	}
	g.upstream.Add(a.upstream)
}

// feesOf returns the tool fees in usd, at list prices. If the provider stated the charge,
// it returns 0.
func feesOf(r *Record, usd decimal.Decimal, list *prices.List) decimal.Decimal {
	used := &r.Counts
	if len(used.ToolUses) == 0 || used.ChargedUSD != "" {
		return decimal.Decimal{}
	}
	uses := *r
	uses.Counts = prices.Usage{ToolUses: used.ToolUses, Mode: used.Mode}
	fees := decimal.FromText(lowerbound.AtLeast(list, uses.call()))
	if fees.Cmp(usd) > 0 {
		return usd
	}
	return fees
}

// merge adds another worker's groups.
func (s *sums) merge(other *sums) {
	for key, more := range other.groups {
		g := s.groups[key]
		if g == nil {
			g = &group{row: Group{Values: more.row.Values, Names: more.row.Names}}
			s.groups[key] = g
		}
		g.merge(more)
	}
}

func (g *group) merge(more *group) {
	g.row.Calls += more.row.Calls
	g.row.WithoutLine += more.row.WithoutLine
	g.row.Failed += more.row.Failed
	g.row.Unpriced += more.row.Unpriced
	g.row.Bounded += more.row.Bounded
	g.usd.Merge(&more.usd)
	g.bounds.Merge(&more.bounds)
	g.fees.Merge(&more.fees)
	g.subscription.Merge(&more.subscription)
	g.upstream.Merge(&more.upstream)
	addUsage(&g.row.Usage, &more.row.Usage)
	addUsage(&g.row.SubscriptionUsage, &more.row.SubscriptionUsage)
}

func (g *group) sum() Group {
	row, usd, bound := g.row, g.usd.Total(), g.bounds.Total()
	row.USD, row.BoundUSD, row.AtLeastUSD = usdOf(usd), usdOf(bound), usdOf(usd.Add(bound))
	row.FeesUSD, row.SubscriptionUSD, row.UpstreamUSD = usdOf(g.fees.Total()), usdOf(g.subscription.Total()), usdOf(g.upstream.Total())
	row.Usage.ToolUses, row.SubscriptionUsage.ToolUses = maps.Clone(row.Usage.ToolUses), maps.Clone(row.SubscriptionUsage.ToolUses)
	return row
}

func usdOf(d decimal.Decimal) prices.USD { return prices.USD(d.String()) }

func addUsage(u, more *prices.Usage) {
	(*usage.Typed[prices.USD])(u).Add((*usage.Typed[prices.USD])(more))
	if more.ToolUses == nil && more.Iterations == nil { // nearly always
		return
	}
	for tool, n := range more.ToolUses {
		if u.ToolUses == nil {
			u.ToolUses = make(map[string]int64)
		}
		u.ToolUses[tool] += n
	}
	for i := range more.Iterations {
		if advisor := prices.Usage(usage.UsageOf[prices.USD](&more.Iterations[i])); more.Iterations[i].Model != "" {
			addUsage(u, &advisor)
		}
	}
}

// tokens adds up tokens and tool uses, at most the largest int64. Each count is at most
// 2^53.
func tokens(u *prices.Usage) (sum int64) {
	add := func(n int64) { sum += min(n, math.MaxInt64-sum) }
	for _, n := range (*usage.Typed[prices.USD])(u).Counts() {
		add(*n)
	}
	if u.ToolUses == nil && u.Iterations == nil { // nearly always
		return sum
	}
	for _, n := range u.ToolUses {
		add(n)
	}
	for i := range u.Iterations {
		if advisor := prices.Usage(usage.UsageOf[prices.USD](&u.Iterations[i])); u.Iterations[i].Model != "" {
			add(tokens(&advisor))
		}
	}
	return sum
}
