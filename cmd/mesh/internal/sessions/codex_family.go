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
			i++
		}
	}
}

// codexCheck compares a thread's counts with its totals.
type codexCheck struct {
	counts  bool
	total   counts // the last one
	missing counts
	records counts // sum over records
	stated  counts // in the last record's thread_token_usage
}

func (k *codexCheck) add(c *codexFile, family bool) {
	first := true
	for i := range c.events {
		e := &c.events[i]
		if e.record != nil {
			if !e.copied {
				k.records.add(e.usage)
			}
			if e.total != (counts{}) {
				k.stated = e.total
			}
			continue
		}
		k.counts = true
		if e.total == (counts{}) || e.last == (counts{}) {
			first = false
			continue
		}
		before := e.before
		if first && before == (counts{}) {
			before = k.total
		}
		if e.total != e.last && !(first && family) {
			gap := e.total.less(before).less(e.last)
			if gap != (counts{}) && e.total.less(e.last) != (counts{}) {
				k.missing.add(gap)
			}
		}
		first, k.total = false, e.total
	}
}

func (k *codexCheck) report(r *run, id string) {
	missing := k.missing
	if !k.counts && k.stated != (counts{}) {
		missing = k.stated.less(k.records)
	}
	if missing != (counts{}) {
		r.notes.add("codex", id, "its total differs from the sum of its calls by %s", kinds{0: missing[0], 1: missing[3], 2: missing[1], 3: missing[2]}.text())
	}
}
