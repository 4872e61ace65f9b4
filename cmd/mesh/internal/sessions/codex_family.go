package sessions

import (
	"cmp"
	"slices"
)

// finishCodex adds calls, family by family, with parents before their children.
func (r *run) finishCodex() {
	r.codexFamilies()
	slices.SortStableFunc(r.codex, func(a, b *codexFile) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.depth, b.depth), cmp.Compare(a.archived, b.archived), cmp.Compare(a.begin, b.begin), cmp.Compare(a.path, b.path))
	})
	for begin := 0; begin < len(r.codex); {
		end := begin + 1
		for end < len(r.codex) && r.codex[end].family == r.codex[begin].family {
			end++
		}
		r.finishFamily(r.codex[begin:end])
		begin = end
	}
}

// codexFamilies sets each file's family and depth. Thread ids connect the files in a
// family, even through a thread whose file is missing.
func (r *run) codexFamilies() {
	parent := map[string]string{}
	root := func(id string) string {
		for parent[id] != "" && parent[id] != id {
			id = parent[id]
		}
		return id
	}
	byID := map[string][]*codexFile{}
	for _, c := range r.codex {
		byID[c.id] = append(byID[c.id], c)
		for _, p := range c.parents {
			if a, b := root(c.id), root(p); a != b {
				parent[a] = b
			}
		}
	}
	numbers := map[string]int{}
	for i, c := range r.codex {
		name := root(c.id)
		if name == "" { // without a head
			name = c.path
		}
		if _, known := numbers[name]; !known {
			numbers[name] = i
		}
		c.family = numbers[name]
	}
	for range min(len(r.codex), mostDepth) {
		if !deepen(r.codex, byID) {
			return
		}
	}
}

// mostDepth bounds a chain of forks.
const mostDepth = 50

// deepen makes each file deeper than its parents' files and reports whether any depth
// changed.
func deepen(files []*codexFile, byID map[string][]*codexFile) (moved bool) {
	for _, c := range files {
		for _, id := range c.parents {
			if id == c.id {
				continue
			}
			for _, p := range byID[id] {
				if p.depth >= c.depth && c.depth < mostDepth {
					c.depth, moved = p.depth+1, true
				}
			}
		}
	}
	return moved
}

// finishFamily adds a family's calls, but skips counts copied from an earlier file.
func (r *run) finishFamily(files []*codexFile) {
	type count struct{ total, last counts }
	seen := map[count]int{}
	threads := map[string]*codexCheck{}
	for i, c := range files {
		c.pair()
		for k := range c.events {
			e := &c.events[k]
			if e.record != nil {
				continue
			}
			of := count{e.total, e.last}
			first, known := seen[of]
			switch {
			case !known || first == i:
				seen[of] = i
			case !e.copied:
				e.copied = true
				r.copyOf("", c.path, files[first].path, false)
			}
		}
		check := threads[c.id]
		if check == nil {
			check = &codexCheck{}
			threads[c.id] = check
		}
		check.add(c, len(files) > 1)
		for k := range c.events {
			if e := &c.events[k]; e.form != nil && !e.copied {
				r.add(&call{sharedForm: e.form, time: e.time, counts: e.usage, file: c.index, number: e.number}, 0)
			}
		}
	}
	for _, c := range files {
		if check := threads[c.id]; check != nil {
			check.report(r, c.id)
			delete(threads, c.id)
		}
	}
}

// pair drops a count next to a record with the same usage: both describe one call.
func (c *codexFile) pair() {
	for i := 0; i+1 < len(c.events); i++ {
		a, b := &c.events[i], &c.events[i+1]
		if (a.record == nil) != (b.record == nil) && a.usage == b.usage {
			a.copied, b.copied = a.copied || a.record == nil, b.copied || b.record == nil
			a.paired, b.paired = true, true
			i++
		}
	}
}

// codexCheck compares a thread's counts with its totals, or its records if it has no
// counts: after an update, the totals in records start again from zero.
type codexCheck struct{ counts, records codexTotals }

// codexTotals follows totals from line to line.
type codexTotals struct {
	known, begun bool // begun in this file
	total        counts
	missing      counts
	// calls since the last total that have no total themselves, such as a record whose
	// token_count is unreadable
	alone []counts
}

func (k *codexCheck) add(c *codexFile, family bool) {
	k.counts.begun, k.records.begun = false, false
	for i := range c.events {
		e := &c.events[i]
		if e.record == nil {
			k.counts.add(e.total, e.last, family)
			continue
		}
		k.records.add(e.total, e.usage, family)
		if !e.paired {
			k.counts.alone = append(k.counts.alone, e.usage)
		}
	}
}

// add skips a file's first total in a family: it may include the parent's calls.
func (t *codexTotals) add(total, usage counts, family bool) {
	none := counts{}
	first := !t.begun
	t.known, t.begun = true, true
	switch {
	case total == none:
		t.alone = append(t.alone, usage)
		return
	case total == t.total, usage == none, total == usage, first && family:
	default:
		t.missing.add(total.since(t.total).less(usage).without(t.alone))
	}
	t.total, t.alone = total, t.alone[:0]
}

// without subtracts each of more that isn't larger than the rest.
func (c counts) without(more []counts) counts {
	for _, m := range more {
		if rest := c.less(m); !rest.kinds().negative() {
			c = rest
		}
	}
	return c
}

func (k *codexCheck) report(r *run, id string) {
	missing := k.counts.missing
	if !k.counts.known {
		missing = k.records.missing
	}
	if missing != (counts{}) {
		r.notes.add("codex", id, "its total differs from the sum of its calls by %s", kinds{0: missing[0], 1: missing[3], 2: missing[1], 3: missing[2]}.text())
	}
}
