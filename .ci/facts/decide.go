package main

import (
	"cmp"
	"math/big"
	"slices"
)

// change is a table change, or a contradiction between feeds and table.
type change struct {
	// Kind is added, changed, filled or ended if the table changes, else disagreed or
	// missing.
	Kind     string `json:"kind"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Above    int64  `json:"above"`
	// From is the first day with the change.
	From string `json:"from,omitempty"`
	// Old and New are the table's prices before and after.
	Old figures `json:"old"`
	New figures `json:"new"`
	// feed -> its statement
	Sources map[string]figures `json:"sources"`
}

// column name -> price as a JSON number, plus other facts about a statement
type figures map[string]any

// decide applies the feeds' votes to a price's rows. It returns nil if there's neither
// a change nor a contradiction.
func (t *table) decide(key priceKey, votes []vote, day string) *change {
	if key.isPattern() {
		return nil
	}
	c := &change{Provider: key.provider, Model: key.model, Above: key.above, Sources: make(map[string]figures)}
	for _, v := range votes {
		c.Sources[v.feed.name] = v.figures()
	}
	in := t.inForce(key, day)
	agreed, by := winner(votes)
	switch {
	case len(in) == 0:
		return t.decideUnlisted(c, key, agreed, by, votes, day)
	case t.decideTier(c, key, in, votes, day), t.decidePrice(c, in, agreed, by, votes, day):
		return c
	}
	c.Old = in[0].prices().figures()
	switch {
	case gone(votes, day):
		c.Kind = "missing"
	case disagree(votes, in):
		c.Kind = "disagreed"
	default:
		return nil
	}
	return c
}

// winner returns the prices that most groups state, and the votes for them. At least
// two groups must agree, and no other price may have as many.
func winner(votes []vote) (agreed rates, by []vote) {
	most := 1
	for _, v := range votes {
		var same []vote
		for _, w := range votes {
			if w.counts() && w.Prices.same(v.Prices) {
				same = append(same, w)
			}
		}
		switch n := groups(same, func(vote) bool { return true }); {
		case !v.counts() || v.Prices.same(agreed):
		case n > most:
			most, agreed, by = n, v.Prices, same
		case n == most:
			agreed, by = rates{}, nil
		}
	}
	for _, i := range []int{cacheRead, cacheWrite5m, cacheWrite1h} {
		agreed[i] = agreedCell(by, i)
	}
	return agreed, by
}

// agreedCell applies winner's rule to one cell. It returns "" if there's no winner.
func agreedCell(by []vote, i int) (agreed string) {
	most := 1
	for _, v := range by {
		switch n := groups(by, func(w vote) bool { return w.Prices[i] == v.Prices[i] }); {
		case v.Prices[i] == "" || v.Prices[i] == agreed:
		case n > most:
			most, agreed = n, v.Prices[i]
		case n == most:
			agreed = ""
		}
	}
	return agreed
}

func (v vote) counts() bool { return v.Gone == "" && v.Doubt == "" && !v.first }

// groups counts independent groups among the chosen votes.
func groups(votes []vote, chosen func(vote) bool) int {
	seen := make(map[string]bool)
	for _, v := range votes {
		if chosen(v) {
			seen[v.feed.group] = true
		}
	}
	return len(seen)
}

// decidePrice changes a row that two groups have contradicted since it was verified.
func (t *table) decidePrice(c *change, in []*row, agreed rates, by, votes []vote, day string) bool {
	if by == nil {
		return false
	}
	old, verified := in[0], ""
	listed := false
	for _, r := range in {
		verified = max(verified, r.cell("verified_at"))
		if r.prices().same(agreed) && !listed {
			old, listed = r, true
		}
	}
	if anyRow(in, agreed) {
		return t.fillCells(c, in, agreed, by, votes, day)
	}
	next := agreed
	began := vote.since
	if listed { // only a cache price may have changed
		next = old.prices()
		for _, i := range []int{cacheRead, cacheWrite5m, cacheWrite1h} {
			moved := groups(by, func(v vote) bool { return v.Prices[i] == agreed[i] && v.Since[i] > verified })
			if agreed[i] != "" && moved >= 2 && plausible(old.prices()[i], agreed[i]) {
				next[i] = agreed[i]
			}
		}
		began = func(vote) string { return day }
	}
	from := dated(by, max(verified, old.cell("valid_from")), day)
	// No earlier price ends, so a recent row's first price holds from its first day.
	first := !old.prices().known() && recent(old.cell("valid_from"), day)
	if first {
		from = old.cell("valid_from")
	}
	if next == old.prices() || groups(by, func(v vote) bool { return began(v) > verified }) < 2 ||
		!plausible(old.prices()[input], next[input]) || !plausible(old.prices()[output], next[output]) || !first && old.cell("valid_from") >= from {
		return false
	}
	c.Kind, c.From, c.Old, c.New = "changed", from, old.prices().figures(), next.figures()
	if first {
		t.complete(old, next, by, day)
	} else {
		t.change(in, old, next, codes(by), from, day)
	}
	return true
}

// fillCells writes unknown cache prices into a recent row, if two groups state them and
// no feed has another. Older rows lack them on purpose: feeds of today don't know what
// held then.
func (t *table) fillCells(c *change, in []*row, agreed rates, by, votes []vote, day string) bool {
	for _, r := range in {
		old := r.prices()
		if !old.same(agreed) || !recent(r.cell("valid_from"), day) {
			continue
		}
		next := old
		for _, i := range []int{cacheRead, cacheWrite5m, cacheWrite1h} {
			named := func(v vote) bool { return v.Named && v.Prices[i] == agreed[i] }
			other := func(v vote) bool { return v.Gone == "" && v.Prices[i] != "" && v.Prices[i] != agreed[i] }
			if old[i] == "" && groups(by, named) >= 2 && groups(votes, other) == 0 {
				next[i] = agreed[i]
			}
		}
		if next != old {
			c.Kind, c.From, c.Old, c.New = "filled", r.cell("valid_from"), old.figures(), next.figures()
			t.complete(r, next, by, day)
			return true
		}
	}
	return false
}

// recency is in days: a feed that has a price today is trusted about the days before.
const recency = 60

func recent(from, day string) bool { return isDate(from) && from <= day && after(from, recency) >= day }

func (v vote) since() string { return v.began() }

// plausible rejects changes by a factor of 100, which come from a wrong unit.
func plausible(old, next string) bool {
	a, ok := new(big.Rat).SetString(old)
	b, known := new(big.Rat).SetString(next)
	if !ok || !known || a.Sign() == 0 {
		return true
	}
	factor := b.Quo(b, a)
	return factor.Cmp(big.NewRat(1, 100)) > 0 && factor.Cmp(big.NewRat(100, 1)) < 0
}

// dated returns a feed's start date for the price, if it's later than after and not
// after today, else today.
func dated(by []vote, after, day string) string {
	for _, v := range by {
		if start := cmp.Or(v.Start, v.baseStart); start > after && start <= day {
			return start
		}
	}
	return day
}

// decideTier ends a tier if two groups dropped it since it was verified but still list
// the model.
func (t *table) decideTier(c *change, key priceKey, in []*row, votes []vote, day string) bool {
	ended := groups(votes, func(v vote) bool { return v.Gone > in[0].cell("verified_at") && v.listed && !v.first })
	kept := groups(votes, vote.counts)
	if key.above == 0 || ended < 2 || kept >= ended || !in[0].prices().known() || in[0].cell("valid_from") >= day {
		return false
	}
	from := dated(votes, max(in[0].cell("verified_at"), in[0].cell("valid_from")), day)
	c.Kind, c.From, c.Old = "ended", from, in[0].prices().figures()
	for _, r := range in {
		r.set("valid_until", from)
		t.changed = true
	}
	return true
}

// decideUnlisted adds a model or tier that two groups state.
func (t *table) decideUnlisted(c *change, key priceKey, agreed rates, by []vote, votes []vote, day string) *change {
	verified, listed, only := t.verified(key, day)
	named := groups(by, func(v vote) bool { return v.Named }) > 0
	text := groups(by, func(v vote) bool { return v.NotText }) == 0
	// If two feeds had the price from the start, it was already compared with the table.
	// For a new price one later feed is enough. If a row has ended, its return needs as
	// many as a change.
	moved := groups(by, func(v vote) bool { return v.began() != "" && v.began() >= verified }) > 0
	if listed {
		moved = groups(by, func(v vote) bool { return v.began() > verified }) >= 2
	}
	if by != nil && only == nil && named && text && addable(key.model) && moved && t.sells(key, day) {
		from := dated(by, verified, day)
		if from == day {
			from = t.released(key, votes, day)
		}
		c.Kind, c.From, c.New = "added", from, agreed.figures()
		t.add(key, agreed, codes(by), from, day)
		return c
	}
	switch {
	case only != nil && disagree(votes, only):
		c.Old = only[0].prices().figures()
	case only != nil || !addable(key.model) || !contradict(votes):
		return nil
	}
	c.Kind = "disagreed"
	return c
}

// released returns the release day if the model is new to the table, else today.
func (t *table) released(key priceKey, votes []vote, day string) string {
	for _, v := range votes {
		older := func(r *row) bool {
			return r.cell("provider") == key.provider && r.cell("model_id") == key.model && r.cell("valid_from") != v.Released
		}
		if recent(v.Released, day) && !slices.ContainsFunc(t.rows, older) {
			return v.Released
		}
	}
	return day
}

// gone reports whether the last feed dropped the price today.
func gone(votes []vote, day string) bool {
	today := false
	for _, v := range votes {
		if v.Gone == "" {
			return false
		}
		today = today || v.Gone == day
	}
	return today
}

// disagree reports whether a feed's prices match no row.
func disagree(votes []vote, rows []*row) bool {
	for _, v := range votes {
		agrees := v.Doubt == ""
		if v.Gone == "" && !(agrees && anyRow(rows, v.Prices)) {
			return true
		}
	}
	return false
}

// anyRow ignores cache prices that are unknown on one side.
func anyRow(rows []*row, p rates) bool {
	for _, r := range rows {
		listed, same := r.prices(), true
		for i, usd := range p {
			same = same && (usd == listed[i] || (i != input && i != output && (usd == "" || listed[i] == "")))
		}
		if same {
			return true
		}
	}
	return false
}

// contradict reports whether feeds contradict each other or a statement is doubtful.
func contradict(votes []vote) bool {
	var first *vote
	for i := range votes {
		switch v := &votes[i]; {
		case v.Gone != "" || v.NotText:
		case v.Doubt != "":
			return true
		case first == nil:
			first = v
		case !v.Prices.same(first.Prices):
			return true
		}
	}
	return false
}
