package usage

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var anthropicMessages = shape{
	required: setOf(inputTokens, outputTokens),
	optional: setOf(cacheCreation, cacheRead, ephemeral5m, ephemeral1h, thinkingTokens),
	counts:   (*counts).anthropic,
}

// The endpoint compatible with OpenAI has OpenAI's counts.
func anthropicShape(c *counts) *shape {
	if c.has(promptTokens) {
		return &anthropicCompatible
	}
	return &anthropicMessages
}

var anthropicCompatible = shape{
	required: setOf(promptTokens, completionTokens),
	optional: setOf(totalTokens, cachedTokens, reasoningTokens),
	counts:   func(c *counts) (Usage, error) { return c.openAI(promptTokens, completionTokens) },
}

// The input excludes cache reads and writes, and the output includes thinking. Writes
// without a lifetime, as after a web search, are for five minutes.
func (c *counts) anthropic() (Usage, error) {
	err := c.within(outputTokens, thinkingTokens)
	u := Usage{Input: c.value[inputTokens], CacheRead: c.value[cacheRead], Output: c.value[outputTokens], CacheWrite5m: c.value[cacheCreation]}
	if c.has(ephemeral5m) || c.has(ephemeral1h) {
		u.CacheWrite5m, u.CacheWrite1h = c.value[ephemeral5m], c.value[ephemeral1h]
		if rest := c.value[cacheCreation] - u.CacheWrite5m - u.CacheWrite1h; rest > 0 {
			u.CacheWrite5m += rest
		} else {
			err = firstError(err, c.sum(cacheCreation, ephemeral5m, ephemeral1h))
		}
	}
	if c.iterations == nil {
		return u, err
	}
	return u, firstError(err, c.addIterations(&u))
}

// Writes are cache writes by lifetime, and their sum.
type Writes struct{ FiveMinutes, Hour, Sum int64 }

// CacheWrites returns an Anthropic object's cache writes. It reports false if the object
// is invalid or lacks the sum or the lifetimes.
func CacheWrites(object []byte) (w Writes, ok bool) {
	var r Reader
	var d jsonread.Decoder
	d.Reset(object)
	c := &r.counts
	ok = r.Read(&d) == nil && c.wrong == nil && c.has(cacheCreation) && (c.has(ephemeral5m) || c.has(ephemeral1h))
	return Writes{c.value[ephemeral5m], c.value[ephemeral1h], c.value[cacheCreation]}, ok
}

// Types in Anthropic's iterations. After a fallback, which has another type, the entries
// are for several models.
const (
	ownMessage = "message"
	compaction = "compaction"      // not included in the object's counts
	advisor    = "advisor_message" // not included, and has its own model
)

type iteration struct {
	Iteration
	kind string
}

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
	case err != nil && read.kind == ownMessage: // its counts are included in the object's
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
	set(read.counts(), u.iterated())
	c.iterations = append(c.iterations, read)
	return nil
}

// addIterations adds compactions to the counts and keeps advisors. It keeps the other
// entries if they add up to the counts, since each is priced by its own prompt length.
func (c *counts) addIterations(u *Usage) error {
	var sum, total Iteration
	var own, others []Iteration
	err := error(nil)
	set(total.counts(), u.iterated())
	for _, i := range c.iterations {
		if i.kind == advisor {
			others = append(others, i.Iteration)
			continue
		}
		if i.kind == compaction {
			err = firstError(err, total.add(&i.Iteration))
		}
		own = append(own, i.Iteration)
		c.entire = sum.add(&i.Iteration) != nil || c.entire
	}
	set(u.iterated(), total.counts())
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

// add fails if a sum exceeds the bound for a single count.
func (i *Iteration) add(more *Iteration) error {
	counts := more.counts()
	for at, sum := range i.counts() {
		if *sum += *counts[at]; *sum > maxTokens {
			return &Error{"iterations", "has a sum that is too large"}
		}
	}
	return nil
}

// Rest returns the usage outside the iterations. It reports whether they are valid: an
// iteration's tokens must be included in the counts, unless it has a model.
func (u *Typed[C]) Rest() (rest Typed[C], ok bool) {
	rest, ok = *u, true
	rest.Iterations = nil
	for i := range u.Iterations {
		it := &u.Iterations[i]
		left := rest.iterated()
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
