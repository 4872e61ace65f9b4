package report

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// The codes of UnpricedGroup.Reason beside those of prices.UnpricedError.
const (
	reasonBroken       = "broken"
	reasonStreamCounts = "stream-counts"
	reasonEndpoint     = "endpoint"
	reasonFailed       = "failed"
	reasonOther        = "other"
)

// reasonKey is a reason as the report groups it. detail is the name of a mode, a tool or a count, or why an endpoint has no counts.
type reasonKey struct{ code, detail string }

// maxReasons is the number of groups. A file can have any text.
const maxReasons = 100

// reasonSum adds up the calls of a reason.
type reasonSum struct {
	calls, bounded int
	more           decimal.Sum
	models         map[ModelID]int
}

func (a *aggregate) addReason(c *call) {
	s := a.reason(reasonOf(c))
	s.calls++
	if c.bounded {
		s.bounded++
		s.more.Add(c.more)
	}
	s.addModel(c.id, 1)
}

func (a *aggregate) reason(key reasonKey) *reasonSum {
	s := a.reasons[key]
	if s == nil && len(a.reasons) >= maxReasons {
		key = reasonKey{code: reasonOther}
		s = a.reasons[key]
	}
	if s == nil {
		s = &reasonSum{models: map[ModelID]int{}}
		a.reasons[key] = s
	}
	return s
}

func (s *reasonSum) addModel(id ModelID, n int) {
	if _, known := s.models[id]; !known && len(s.models) >= maxModels {
		id = ModelID{}
	}
	s.models[id] += n
}

func (a *aggregate) mergeReasons(o *aggregate) {
	for key, more := range o.reasons {
		s := a.reason(key)
		s.calls += more.calls
		s.bounded += more.bounded
		s.more.Merge(&more.more)
		for id, n := range more.models {
			s.addModel(id, n)
		}
	}
}

// unpricedText is the text of a prices.UnpricedError: what is not known, perhaps a name, and the model. Older files have another
// package in front.
var unpricedText = regexp.MustCompile(`^\w+: the cost is not known: ([a-z0-9_]+)(?: ([^:]{1,64}))?: `)

// reasonOf returns the reason of an unpriced call. Texts are those of package meter; what breaks off has a lower bound.
func reasonOf(c *call) reasonKey {
	text := c.Unpriced
	if m := unpricedText.FindStringSubmatch(text); m != nil {
		return reasonKey{m[1], m[2]}
	}
	switch {
	case strings.Contains(text, "include_usage"):
		return reasonKey{code: reasonStreamCounts}
	case c.failed:
		return reasonKey{code: reasonFailed}
	case c.bounded, strings.HasPrefix(text, "the response was closed"), c.Stream && !c.Complete && c.used:
		return reasonKey{code: reasonBroken}
	case isEndpoint(text):
		return reasonKey{reasonEndpoint, text}
	}
	return reasonKey{code: reasonOther, detail: cut(text)}
}

// isEndpoint reports whether a text is why an endpoint has no counts.
func isEndpoint(text string) bool {
	for _, part := range []string{"has no counts", "have no counts", "billed", "are not counted", "is not counted"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// remedy is what is shown of a reason.
type remedy struct{ text, fix, command string }

const update = "mesh prices --update"

// remedies are those of the reasons without a detail.
var remedies = map[string]remedy{
	"model":            {"No price for the model", "Add its price with List.With, or update the table of prices.", update},
	"period":           {"No price at this time", "Use a model that is not retired, or add a row with List.With.", update},
	"tier":             {"No price for a prompt of this length", "Add a row with List.With, or update the table of prices.", update},
	"input":            {"No price for input", "Update the table of prices, or add a row with List.With.", update},
	"cache_read":       {"No price for reads from the cache", "Update the table of prices, or add a row with List.With.", update},
	"cache_write_5m":   {"No price for writes to the cache", "Update the table of prices, or add a row with List.With.", update},
	"cache_write_1h":   {"No price for writes to the cache for an hour", "Update the table of prices, or add a row with List.With.", update},
	"output":           {"No price for output", "Update the table of prices, or add a row with List.With.", update},
	"audio":            {"No price for audio", "Update the table of prices, or add a row with List.With.", update},
	"image":            {"No price for images", "Update the table of prices, or add a row with List.With.", update},
	"mode":             {"No price in the mode", "Add a row with List.With, or call the model in a mode with a price.", ""},
	"region":           {"No price on the platform or in the region", "Add a row with List.With.", ""},
	"platform":         {"No price on the platform", "Add a row with List.With.", ""},
	"tool":             {"No fee for the tool", "Update the table of prices, or compare the calls with the bill.", update},
	"duration":         {"Billed by duration", "The provider reports no counts. Compare the calls with the bill.", ""},
	"count":            {"A count without a price", "Update the table of prices, or compare the calls with the bill.", update},
	reasonBroken:       {"Responses that broke off", "Read streams to their end. What is known is input and what had arrived.", ""},
	reasonStreamCounts: {"Chat streams without counts", "Request the counts: --stream-usage, or meter.WithStreamUsage().", "mesh meter --stream-usage"},
	reasonEndpoint:     {"No counts", "The provider reports no counts. Compare the calls with the bill.", ""},
	reasonFailed:       {"Calls without a response", "They may cost something. Compare the calls with the bill.", ""},
	reasonOther:        {"Another reason", "See the reason in the calls files: mesh usage --by unpriced.", "mesh usage --by unpriced"},
}

// fixable are the reasons after whose fix the next calls have a cost.
func fixable(code string) bool {
	switch code {
	case reasonEndpoint, reasonFailed, reasonOther, "duration":
		return false
	}
	return true
}

// unpriced returns the unpriced calls of two periods.
func unpriced(current, previous *aggregate) Unpriced {
	u := Unpriced{
		Calls: current.total.unpriced, PreviousCalls: previous.total.unpriced, Share: share(current.total.unpriced, current.total.calls),
		MoreUSD: current.total.more.Total().String(), Bounded: current.total.bounded, Groups: []UnpricedGroup{},
	}
	for key := range keys(current.reasons, previous.reasons) {
		u.Groups = append(u.Groups, group(key, current.reasons[key], previous.reasons[key]))
	}
	slices.SortFunc(u.Groups, func(a, b UnpricedGroup) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(b.PreviousCalls, a.PreviousCalls), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Reason, b.Reason))
	})
	return u
}

func group(key reasonKey, current, previous *reasonSum) UnpricedGroup {
	if current == nil {
		current = &reasonSum{}
	}
	if previous == nil {
		previous = &reasonSum{}
	}
	show, known := remedies[key.code]
	if !known {
		show = remedy{"No price of " + key.code, remedies["model"].fix, update}
	}
	if key.detail != "" {
		show.text += ": " + key.detail
	}
	return UnpricedGroup{
		Reason: key.code, Text: show.text, Fix: show.fix, Command: show.command, Fixable: fixable(key.code),
		Calls: current.calls, PreviousCalls: previous.calls, Bounded: current.bounded, MoreUSD: current.more.Total().String(), Models: modelCalls(current.models),
	}
}

// modelCalls returns the models of unpriced calls, the most frequent first.
func modelCalls(all map[ModelID]int) []ModelCalls {
	rows := []ModelCalls{}
	for _, id := range slices.SortedFunc(maps.Keys(all), func(a, b ModelID) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), compareIDs(a, b))
	}) {
		rows = append(rows, ModelCalls{ModelID: id, Others: id == ModelID{}, Calls: all[id]})
	}
	return rows
}
