package usage

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// The types of Anthropic's iterations. After a fallback, which has another type, the entries are of several models.
const (
	ownMessage = "message"
	compaction = "compaction"      // in no count of the object
	advisor    = "advisor_message" // in no count, and of another model
)

// iteration is an entry of iterations.
type iteration struct {
	Iteration
	kind string
}

// iteration reads an entry of iterations.
func (c *counts) iteration(d *jsonread.Decoder) error {
	var entry counts
	read := iteration{kind: ownMessage}
	err := eachMember(d, "iterations", func(key []byte) (err error) {
		switch kind := d.Next(); {
		case string(key) == "type" && kind == jsonread.String:
			read.kind, err = text(d, "iterations")
		case string(key) == "type" && kind != jsonread.Null:
			read.kind, err = "", d.Skip()
		case string(key) == "model" && kind == jsonread.String:
			read.Model, err = text(d, "iterations")
		default:
			err = inside("iterations", entry.member(d, top, key))
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case read.kind == ownMessage, read.kind == compaction:
		read.Model = ""
	case read.kind != advisor || read.Model == "":
		c.addMode(otherModel)
		return nil
	}
	return c.addIteration(&entry, read)
}

func (c *counts) addIteration(entry *counts, read iteration) error {
	u, err := anthropicMessages.usage(entry)
	switch {
	case err != nil && read.kind == ownMessage: // whose counts the object has
		c.entire = true
		return nil
	case err != nil:
		return inside("iterations", err)
	}
	if read.kind != ownMessage {
		for _, mode := range entry.modes {
			if strings.HasPrefix(mode, unknownCount) {
				c.addMode(mode)
			}
		}
	}
	read.Input, read.CacheRead, read.CacheWrite5m, read.CacheWrite1h, read.Output = u.Input, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output
	c.iterations = append(c.iterations, read)
	return nil
}

// addIterations adds compactions to the counts of the object. It keeps advisors, and if the others add up to the
// counts, these too: each is priced by the length of its own prompt.
func (c *counts) addIterations(u *Usage) error {
	var sum Iteration
	var own, others []Iteration
	err := error(nil)
	total := Iteration{Input: u.Input, CacheRead: u.CacheRead, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h, Output: u.Output}
	for _, i := range c.iterations {
		if i.kind == advisor {
			others = append(others, i.Iteration)
			continue
		}
		if i.kind == compaction {
			err = first(err, total.add(&i.Iteration))
		}
		own = append(own, i.Iteration)
		c.entire = sum.add(&i.Iteration) != nil || c.entire
	}
	u.Input, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output = total.Input, total.CacheRead, total.CacheWrite5m, total.CacheWrite1h, total.Output
	if total.CacheWrite5m == 0 && sum.CacheWrite1h == 0 { // the entries need not state the lifetime
		sum.hourly()
		for i := range own {
			own[i].hourly()
		}
	}
	if c.entire || len(own) < 2 || sum != total {
		own = nil
	}
	u.Iterations = slices.Concat(own, others)
	return err
}

func (i *Iteration) hourly() { i.CacheWrite5m, i.CacheWrite1h = 0, i.CacheWrite5m+i.CacheWrite1h }

// add adds the tokens of another request. A sum has the bound of a single count.
func (i *Iteration) add(more *Iteration) error {
	counts := more.counts()
	for at, sum := range i.counts() {
		if *sum += *counts[at]; *sum > maxTokens {
			return &Error{"iterations", "has a sum that is too large"}
		}
	}
	return nil
}

// Rest returns the usage without its iterations. It reports whether these are valid: an iteration without a model is
// a part of the counts.
func (u *Usage) Rest() (rest Usage, ok bool) {
	rest, ok = *u, true
	rest.Iterations = nil
	for i := range u.Iterations {
		it := &u.Iterations[i]
		left := [...]*int64{&rest.Input, &rest.CacheRead, &rest.CacheWrite5m, &rest.CacheWrite1h, &rest.Output}
		for at, n := range it.counts() {
			ok = ok && *n >= 0 && *n <= maxTokens
			if it.Model == "" {
				*left[at] -= *n
				ok = ok && *left[at] >= 0
			}
		}
	}
	return rest, ok
}
