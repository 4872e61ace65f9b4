package report

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Unpriced counts calls with an unknown cost.
type Unpriced struct {
	Calls         int `json:"calls"`
	PreviousCalls int `json:"previous_calls"`
	// Share is Calls divided by all calls.
	Share *float64 `json:"share"`
	// BoundUSD is the minimum cost, added up over the Bounded calls that have one.
	BoundUSD prices.USD `json:"bound_usd"`
	Bounded  int        `json:"bounded"`
	// Groups have one reason each, the most frequent first.
	Groups []UnpricedGroup `json:"groups"`
}

// UnpricedGroup has the calls with the same reason.
type UnpricedGroup struct {
	// Reason is a code from [prices.UnpricedError], such as "model", "period" or
	// "cache_read", or one of "broken", "stream-counts", "endpoint", "failed" and "other".
	Reason string `json:"reason"`
	// Text describes the reason: "No price for reads from the cache", for example.
	Text string `json:"text"`
	// Fix says what to do, and Command is a shell command for it or "". If Fixable, later
	// calls can have a cost.
	Fix     string `json:"fix"`
	Command string `json:"command"`
	Fixable bool   `json:"fixable"`

	Calls         int        `json:"calls"`
	PreviousCalls int        `json:"previous_calls"`
	Bounded       int        `json:"bounded"`
	BoundUSD      prices.USD `json:"bound_usd"`
	// Models are sorted by calls, the most frequent first.
	Models []ModelCalls `json:"models"`
}

// ModelCalls counts one model's calls.
type ModelCalls struct {
	ModelID
	Others bool `json:"others,omitempty"`
	Calls  int  `json:"calls"`
}

// Reasons in addition to codes from prices.UnpricedError.
const (
	reasonBroken       = "broken"
	reasonStreamCounts = "stream-counts"
	reasonEndpoint     = "endpoint"
	reasonFailed       = "failed"
	reasonOther        = "other"
)

// detail is a mode, a tool or a count, or says why an endpoint has no counts.
type reasonKey struct{ code, detail string }

// maxReasons limits the groups: files can have any text.
const maxReasons = 100

type reasonSum struct {
	tally
	models map[ModelID]int
}

func (a *aggregate) addReason(c *call) {
	s := a.reason(reasonOf(c))
	s.add(c)
	count(s.models, c.id, ModelID{}, maxModels)
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

// unpricedText matches prices.UnpricedError: the missing price, sometimes a name, and the
// model. The package name and the words before the colon differ in older files.
var unpricedText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\w+: (?:unknown cost|the cost [a-z ]+): ([a-z0-9_]+)(?: ([^:]{1,64}))?: `)
})

// reasonOf relies on texts written by package meter.
func reasonOf(c *call) reasonKey {
	text := c.Unpriced
	if m := unpricedText().FindStringSubmatch(text); m != nil {
		return reasonKey{m[1], m[2]}
	}
	switch {
	case strings.Contains(text, "include_usage"):
		return reasonKey{code: reasonStreamCounts}
	case c.Failed():
		return reasonKey{code: reasonFailed}
	case c.bounded, strings.HasPrefix(text, "the response was closed"), c.Stream && c.Incomplete && c.HasCounts:
		return reasonKey{code: reasonBroken}
	case isEndpoint(text):
		return reasonKey{reasonEndpoint, text}
	}
	return reasonKey{code: reasonOther, detail: cut(text)}
}

// isEndpoint reports whether text explains missing counts at an endpoint.
func isEndpoint(text string) bool {
	return slices.ContainsFunc([]string{"has no counts", "have no counts", "billed", "are not counted", "is not counted"}, func(part string) bool { return strings.Contains(text, part) })
}

// fixable reports whether the fix gives later calls a cost.
type remedy struct {
	text, fix, command string
	fixable            bool
}

const (
	compareWithBill = "The provider reports no counts. Compare the calls with the bill."
	updatePrices    = "mesh update"
	addPrice        = "Update the table of prices, or add a row with --prices."
	repriceThem     = " If the calls were recorded as unpriced, also set --reprice."
	updateOrCompare = "Update the table of prices, or compare the calls with the bill."
	readTheFiles    = "mesh usage --by unpriced"
)

// reason code -> remedy; a detail is appended to its text
var remedies = map[string]remedy{
	"duration":         {"Billed by duration", compareWithBill, "", false},
	reasonBroken:       {"Responses that broke off", "Read streams to their end. Only the input and the output so far are known.", "", true},
	reasonStreamCounts: {"Chat streams without counts", "Request the counts: --stream-usage, or meter.WithStreamUsage().", "mesh meter --stream-usage", true},
	reasonEndpoint:     {"No counts", compareWithBill, "", false},
	reasonFailed:       {"Calls without a response", "They may cost something. Compare the calls with the bill.", "", false},
	reasonOther:        {"Another reason", "The calls files have it: " + readTheFiles + ".", readTheFiles, false},

	"model":          {"No price for the model", "Add its price with --prices, or update the table of prices.", updatePrices, true},
	"period":         {"No price at this time", "Use a model that is not retired, or add a row with --prices.", updatePrices, true},
	"tier":           {"No price for a prompt of this length", addPrice, updatePrices, true},
	"cache_read":     {"No price for reads from the cache", addPrice, updatePrices, true},
	"cache_write_5m": {"No price for writes to the cache", addPrice, updatePrices, true},
	"cache_write_1h": {"No price for writes to the cache for an hour", addPrice, updatePrices, true},
	"mode":           {"No price in the mode", "Add a row with --prices, or call the model in a mode with a price.", "", true},
	"platform":       {"No price on the platform or in the region", "Add a row with --prices.", "", true},
	"region":         {"No price on the platform or in the region", "Add a row with --prices.", "", true},
	"tool":           {"No fee for the tool", updateOrCompare, updatePrices, true},
	"count":          {"A count without a price", updateOrCompare, updatePrices, true},
}

func unpriced(current, previous *aggregate) Unpriced {
	u := Unpriced{
		Calls: current.total.Unpriced, PreviousCalls: previous.total.Unpriced, Share: share(current.total.Unpriced, current.total.Calls),
		BoundUSD: usdOf(current.total.rares().more.Total()), Bounded: current.total.Bounded, Groups: []UnpricedGroup{},
	}
	for key := range keys(current.reasons, previous.reasons) {
		u.Groups = append(u.Groups, group(key, made(current.reasons, key), made(previous.reasons, key), current.Reprice))
	}
	slices.SortFunc(u.Groups, func(a, b UnpricedGroup) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(b.PreviousCalls, a.PreviousCalls), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Reason, b.Reason))
	})
	return u
}

func group(key reasonKey, current, previous *reasonSum, reprice bool) UnpricedGroup {
	show, known := remedies[key.code]
	if !known {
		show = remedy{"No price of " + key.code, addPrice, updatePrices, true}
	}
	if key.detail != "" {
		show.text += ": " + key.detail
	}
	fix := show.fix
	if strings.Contains(fix, "price") && !reprice {
		fix += repriceThem
	}
	return UnpricedGroup{
		Reason: key.code, Text: show.text, Fix: fix, Command: show.command, Fixable: show.fixable,
		Calls: current.Calls, PreviousCalls: previous.Calls, Bounded: current.Bounded, BoundUSD: usdOf(current.rares().more.Total()), Models: modelCalls(current.models),
	}
}

func modelCalls(all map[ModelID]int) []ModelCalls {
	rows := []ModelCalls{}
	for _, id := range slices.SortedFunc(maps.Keys(all), func(a, b ModelID) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), compareIDs(a, b))
	}) {
		rows = append(rows, ModelCalls{ModelID: id, Others: id == ModelID{}, Calls: all[id]})
	}
	return rows
}
