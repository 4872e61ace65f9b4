package calls

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// summer adds up calls. Each goroutine has its own.
type summer struct {
	opts SumOptions
	errs *lineErrors
	sums []*sums // of each grouping
	// parts are the calls of a block, groups those of the parts, and sightings their records.
	parts     []part
	groups    []*group
	sightings []sighting
	d         jsonread.Decoder
	e         entry
	counts    usage.Reader
	// selected has whether labels match SumOptions.MatchLabels, by their JSON.
	selected shared[bool]
	// labels are those of the last record.
	labels     map[string]string
	labelsJSON []byte
}

// part is what a call adds to its groups.
type part struct {
	groups             []*group // none if the call is not selected
	cost               cost
	fees, upstream     decimal.Decimal
	used               prices.Usage
	hasUsage           bool
	failed, subscribed bool
	err                error // why it adds nothing
}

func newSummer(opts SumOptions, groupings []*grouping, errs *lineErrors) *summer {
	s := &summer{opts: opts, errs: errs, selected: shared[bool]{}}
	for _, by := range groupings {
		s.sums = append(s.sums, newSums(by))
	}
	return s
}

// read adds the calls of the blocks that this goroutine gets.
func (s *summer) read(source *sharedBlocks) {
	var b block
	for {
		var err error
		switch b, err = source.next(b.data); {
		case err == nil:
			s.decode(&b)
			source.copies.add(&b, s.sightings)
			s.addParts(&b)
		case errors.Is(err, errNoMore):
			for _, h := range source.rest() {
				s.decode(&h.block)
				s.addParts(&h.block)
			}
			return
		default:
			s.errs.add(b.number, err)
		}
	}
}

// decode sets the parts of a block.
func (s *summer) decode(b *block) {
	s.parts, s.groups, s.sightings = s.parts[:0], s.groups[:0], s.sightings[:0]
	for number, line := range b.lines() {
		p, recorded, err := s.decodeCall(line)
		if err != nil {
			s.errs.add(b.number, &LineError{b.file, number, err})
			continue
		}
		s.sightings = append(s.sightings, s.e.sighting(p, line, number))
		s.parts = append(s.parts, part{})
		one := &s.parts[len(s.parts)-1]
		one.err = s.part(p, recorded, one)
	}
}

// addParts adds the parts of a block, without those to be skipped.
func (s *summer) addParts(b *block) {
	for i := range s.parts {
		switch one := &s.parts[i]; {
		case s.sightings[i].skip:
		case one.err != nil:
			s.errs.add(b.number, &LineError{b.file, s.sightings[i].number, one.err})
		default:
			one.add()
		}
	}
}

func (s *summer) decodeCall(line []byte) (p models.Provider, recorded cost, err error) {
	e := &s.e
	e.counts = &s.counts
	if err = e.decode(&s.d, line); err == nil && e.time.IsZero() {
		err = errNoTime
	}
	if err == nil {
		p, err = e.resolve()
	}
	if err == nil {
		recorded, err = e.cost() // also of a call at another time, as in Read
	}
	return p, recorded, err
}

// part sets what the call that was decoded adds to its groups.
func (s *summer) part(p models.Provider, recorded cost, one *part) (err error) {
	e := &s.e
	if e.session && s.opts.Subscription {
		e.billing = []byte(subscription)
	}
	if e.time.Before(s.opts.From) || (!s.opts.To.IsZero() && !e.time.Before(s.opts.To)) {
		return nil
	}
	if len(s.opts.MatchLabels) > 0 && !s.selected.of(e.labels, s.matches) {
		return nil
	}
	var usageErr error
	one.used, usageErr = e.used(p)
	if one.cost, err = s.cost(p, recorded, one.used, usageErr); err != nil {
		return err
	}
	one.hasUsage, one.subscribed = usageErr == nil, string(e.billing) == subscription
	one.fees, one.failed = s.fees(p, &one.cost, &one.used), e.failed(one.cost.unpriced)
	one.upstream, _ = decimal.ParsePlain(string(e.upstreamUSD))
	begin := len(s.groups)
	for _, sums := range s.sums { // before anything is added: a call is in all of them, or in none
		g, err := sums.group(&s.d, e, p, one.cost.unpriced)
		if err != nil {
			return err
		}
		s.groups = append(s.groups, g)
	}
	one.groups = s.groups[begin:]
	return nil
}

// matches reports whether labels, which are JSON or nil, match SumOptions.MatchLabels.
func (s *summer) matches(labels []byte) bool {
	var r Record
	if labels != nil {
		r.Labels = interned(nil).labels(labels)
	}
	return r.HasLabels(s.opts.MatchLabels)
}

// add adds the part to its groups, without counts that cannot be read.
func (one *part) add() {
	for _, g := range one.groups {
		g.add(one)
	}
}

func (g *group) add(one *part) {
	g.row.Calls++
	if one.failed {
		g.row.Failed++
	}
	switch {
	case one.cost.unpriced == "":
		g.usd.Add(one.cost.usd)
		if one.subscribed {
			g.subscription.Add(one.cost.usd)
		}
	case one.cost.bounded:
		g.row.Bounded++
		g.bounds.Add(one.cost.usd)
		fallthrough
	default:
		g.row.Unpriced++
	}
	g.fees.Add(one.fees)
	g.upstream.Add(one.upstream)
	switch {
	case !one.hasUsage:
	case one.subscribed:
		addUsage(&g.row.SubscriptionUsage, &one.used)
	default:
		addUsage(&g.row.Usage, &one.used)
	}
}

// cost is a cost, or why it is not known and, if it is bounded, what it is at least.
type cost struct {
	usd      decimal.Decimal
	bounded  bool
	unpriced string
}

var errNoUsage = errors.New("usage is missing, and so is the cost")

// cost returns the cost of the entry: the recorded one, or one that is computed now.
func (s *summer) cost(p models.Provider, recorded cost, used prices.Usage, usageErr error) (cost, error) {
	e := &s.e
	switch {
	case (e.usd != nil || recorded.unpriced != "") && (!s.opts.Reprice || usageErr != nil || len(e.model) == 0 || !e.counted(p)):
		if s.opts.Reprice && usageErr == nil && recorded.unpriced != "" && !e.complete {
			least := bound(s.opts.Prices, e.call(p, used))
			recorded.usd, recorded.bounded = decimal.FromText(least), least != ""
		}
		return recorded, nil
	case usageErr != nil:
		return cost{}, usageErr
	}
	usd, unpriced, err := priced(s.opts.Prices, e.call(p, used))
	return cost{usd: decimal.FromText(usd), unpriced: unpriced}, err
}

// fees returns the part of a known cost that is fees for uses of tools.
func (s *summer) fees(p models.Provider, c *cost, used *prices.Usage) (usd decimal.Decimal) {
	if len(used.Requests) > 0 && c.unpriced == "" && used.ChargedUSD == "" {
		usd = decimal.FromText(bound(s.opts.Prices, s.e.call(p, prices.Usage{Requests: used.Requests, Mode: used.Mode})))
	}
	if usd.Cmp(c.usd) > 0 {
		return c.usd
	}
	return usd
}

// call returns the call that the entry is of.
func (e *entry) call(p models.Provider, used prices.Usage) prices.Call {
	call := prices.Call{Provider: p, Model: string(e.model), Usage: used, At: e.time, Mode: string(e.mode)}
	if len(e.platform) > 0 {
		call.Platform, call.Profile = prices.Platform(e.platform), string(e.profile)
		call.Region = endpoints.PriceRegion(string(e.platform), string(e.region), string(e.path))
	}
	return call
}

// cost returns the cost that was recorded.
func (e *entry) cost() (recorded cost, err error) {
	if _, ok := decimal.ParsePlain(string(e.upstreamUSD)); !ok && e.upstreamUSD != nil {
		return cost{}, errUpstream
	}
	amount, wrong := e.usd, errUSD
	if amount == nil {
		recorded.unpriced, amount, wrong = string(e.reason()), e.bound, errBound
	}
	if amount == nil {
		return recorded, nil
	}
	var ok bool
	if recorded.usd, ok = decimal.ParsePlain(string(amount)); !ok {
		return cost{}, wrong
	}
	recorded.bounded = e.usd == nil
	return recorded, nil
}

// subscription is the Billing of a call that is not charged.
const subscription = "subscription"

// maxRequests bounds the uses of a tool, as the counts of tokens are bounded.
const maxRequests = 1 << 53

// used returns the usage of the call.
func (e *entry) used(p models.Provider) (prices.Usage, error) {
	switch {
	case e.usage == nil:
		return prices.Usage{}, errNoUsage
	case e.usageErr != nil:
		return prices.Usage{}, e.usageErr
	}
	u, err := e.counts.Usage(e.form(p))
	if err == nil && e.requests != nil { // what the response had beside its usage object is in it
		u.Requests, err = readRequests(e.requests)
		for _, n := range u.Requests {
			if n < 0 || n > maxRequests {
				err = errLine
			}
		}
	}
	if bytes.Contains(e.path, []byte("/images/")) {
		u.SetPath(string(e.path))
	}
	return prices.Usage(u), err
}

// form returns the form of the usage object.
func (e *entry) form(p models.Provider) string { return modelid.FormOf(string(e.api), string(p)) }

func readRequests(object []byte) (requests map[string]int64, err error) {
	if json.Unmarshal(object, &requests) != nil {
		return nil, errLine
	}
	return requests, nil
}

// counted reports whether the usage of the call is all that it is billed by.
func (e *entry) counted(p models.Provider) bool {
	host := endpoints.Endpoint{Form: e.form(p), Platform: string(e.platform)}
	return e.complete && host.Counts(string(e.path), e.status)
}

// failed reports whether the call was not billed. unpriced is why its cost is not known.
func (e *entry) failed(unpriced string) bool {
	return e.status == 0 && unpriced != "" && e.usage == nil || e.status != 0 && !endpoints.Bills(e.status)
}
