package calls

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// labelPrefix begins the name of a grouping by a label.
const labelPrefix = "label:"

// groupingNames are the names of the groupings that are not labels.
var groupingNames = [...]string{"day", "week", "month", "model", "provider", "platform", "unpriced", "billing", "model_stage", "retirement_date"}

// grouping is what calls are grouped by.
type grouping struct {
	names []string
	// labels are the names of the labels, each with its place in names.
	labels map[string]int
}

// parseGroupings returns the groupings of SumOptions.By. Without any it returns an empty one.
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
	g := &grouping{names: slices.Clone(names), labels: make(map[string]int)}
	for i, name := range names {
		label, labelled := strings.CutPrefix(name, labelPrefix)
		switch {
		case slices.Contains(names[:i], name):
			return nil, invalid("By", name, "is there twice")
		case labelled && label != "":
			g.labels[label] = i
		case !slices.Contains(groupingNames[:], name):
			return nil, invalid("By", name, unknownColumn(name))
		}
	}
	return g, nil
}

// unknownColumn returns the reason for a name that is no column. It may be the name of a label.
func unknownColumn(name string) string {
	const reason = "must be day, week, month, model, provider, platform, unpriced or label:NAME"
	if name == "" || strings.Contains(name, ":") {
		return reason
	}
	return reason + "; " + labelPrefix + name + " is the label " + name
}

// group is the sum of the calls with the same values.
type group struct {
	row          Group
	usd, bounds  decimal.Sum // of the known costs, and of what the others are at least
	fees         decimal.Sum // of uses of tools
	subscription decimal.Sum // of the known costs of a subscription
	upstream     decimal.Sum // of UpstreamUSD
}

// sums are the groups of calls.
type sums struct {
	by     *grouping
	groups map[string]*group
	// values are those of the current call; they and key are kept to be reused.
	values [][]byte
	key    []byte
}

func newSums(by *grouping) *sums {
	return &sums{by: by, groups: make(map[string]*group), values: make([][]byte, len(by.names))}
}

// group returns the group of a call. unpriced is why its cost is not known.
func (s *sums) group(d *jsonread.Decoder, e *entry, p models.Provider, unpriced string) (*group, error) {
	for i, name := range s.by.names {
		value := s.values[i][:0]
		switch name {
		case "day":
			value = appendDay(value, e.time)
		case "week":
			value = appendDay(value, monday(e.time))
		case "month":
			value = appendDay(value, e.time)[:len("2006-01")]
		case "model":
			value = append(value, e.model...)
		case "provider":
			value = append(value, p...)
		case "platform":
			value = append(value, e.platform...)
		case "unpriced":
			value = append(value, unpriced...)
		case "billing":
			value = append(value, e.billing...)
		case "model_stage":
			value = append(value, e.modelStage...)
		case "retirement_date":
			value = append(value, e.retirementDate...)
		}
		s.values[i] = value
	}
	if err := s.readLabels(d, e.labels); err != nil {
		return nil, err
	}
	s.key = s.key[:0]
	for i, value := range s.values {
		if !utf8.Valid(value) { // texts that are the same in a Row are one group
			value = []byte(jsonread.Text(value))
			s.values[i] = value
		}
		s.key = binary.AppendUvarint(s.key, uint64(len(value)))
		s.key = append(s.key, value...)
	}
	g := s.groups[string(s.key)]
	if g == nil {
		g = &group{row: Group{By: make([]string, len(s.values))}}
		for i, value := range s.values {
			g.row.By[i] = string(value)
		}
		s.groups[string(s.key)] = g
	}
	return g, nil
}

// appendDay appends the date of a time in UTC, by the one layout that package time formats fast.
func appendDay(text []byte, t time.Time) []byte {
	text = t.AppendFormat(text, time.RFC3339)
	return text[:len(text)-len("T00:00:00Z")]
}

// monday returns a time on the first day of the week. The earliest day of a record, 0001-01-01, is a Monday.
func monday(t time.Time) time.Time {
	const week = 7
	return t.AddDate(0, 0, -(int(t.Weekday()+week-time.Monday) % week))
}

// readLabels sets the values of the labels that the calls are grouped by.
func (s *sums) readLabels(d *jsonread.Decoder, labels []byte) error {
	if len(s.by.labels) == 0 || labels == nil {
		return nil
	}
	d.Reset(labels)
	members := d.Object()
	for members.Next() {
		place, wanted := s.by.labels[string(members.Key())]
		var value []byte
		var err error
		if d.Next() == jsonread.Null {
			err = d.Skip()
		} else {
			value, err = d.StrBytes()
		}
		if err != nil {
			return errLine
		}
		if wanted {
			s.values[place] = append(s.values[place][:0], value...)
		}
	}
	if members.Err() != nil {
		return errLine
	}
	return nil
}

// merge adds the groups of another worker.
func (s *sums) merge(other *sums) {
	for key, more := range other.groups {
		g := s.groups[key]
		if g == nil {
			g = &group{row: Group{By: more.row.By}}
			s.groups[key] = g
		}
		g.merge(more)
	}
}

func (g *group) merge(more *group) {
	g.row.Calls += more.row.Calls
	g.row.Failed += more.row.Failed
	g.row.Unpriced += more.row.Unpriced
	g.row.Bounded += more.row.Bounded
	addUsage(&g.row.Usage, &more.row.Usage)
	addUsage(&g.row.SubscriptionUsage, &more.row.SubscriptionUsage)
	g.usd.Merge(&more.usd)
	g.bounds.Merge(&more.bounds)
	g.fees.Merge(&more.fees)
	g.subscription.Merge(&more.subscription)
	g.upstream.Merge(&more.upstream)
}

// sum returns the group as plain data.
func (g *group) sum() Group {
	row, usd, bound := g.row, g.usd.Total(), g.bounds.Total()
	row.USD, row.BoundUSD, row.AtLeastUSD = usd.String(), bound.String(), usd.Add(bound).String()
	row.FeesUSD, row.Subscription, row.UpstreamUSD = g.fees.Total().String(), g.subscription.Total().String(), g.upstream.Total().String()
	row.Usage.Requests, row.SubscriptionUsage.Requests = maps.Clone(row.Usage.Requests), maps.Clone(row.SubscriptionUsage.Requests)
	return row
}

// addUsage adds the counts of a call, or of another group.
func addUsage(u, more *prices.Usage) {
	counts := (*usage.Usage)(more).Counts()
	for i, sum := range (*usage.Usage)(u).Counts() {
		*sum = plus(*sum, *counts[i])
	}
	for tool, n := range more.Requests {
		if u.Requests == nil {
			u.Requests = make(map[string]int64)
		}
		u.Requests[tool] = plus(u.Requests[tool], n)
	}
}

// plus returns the sum of two counts, or the largest number: each count of a file may be up to 2^53.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
