package pricelist

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// Call is a call to bill.
type Call struct {
	Provider, Model string
	// Mode is the mode that the call is billed in, as usage.Mode returns it.
	Mode  string
	At    time.Time
	Usage usage.Usage
}

// Charge is the row that bills a call, with the factor of its mode.
type Charge struct {
	Row    *Row
	factor Factor
}

// UnknownError is the error of a call whose cost is not known. Its fields are those of discovery.UnpricedError.
type UnknownError struct{ What, Name string }

func (u *UnknownError) Error() string { return strings.TrimSpace(u.What + " " + u.Name) }

// ByOwn charges the call by the caller's own rows that are for its mode. It reports whether they are in force: a model that has
// such rows is never billed by other ones.
func (c *Call) ByOwn(rows []Row) (charge Charge, inForce bool, err error) {
	var ofMode []Row
	for _, row := range rows {
		if !row.ForText() || !row.ValidAt(c.At) {
			continue
		}
		inForce = true
		if row.Mode == c.Mode {
			ofMode = append(ofMode, row)
		}
	}
	if !inForce {
		return Charge{}, false, nil
	}
	row, missing := InForce(ofMode, c.At, c.Usage.Prompt())
	switch {
	case row == nil && missing == "tier":
		return Charge{}, true, &UnknownError{What: missing}
	case row == nil:
		return Charge{}, true, c.unknownMode()
	}
	charge = Charge{row, Whole}
	return charge, true, c.check(&charge, true)
}

// ByList charges the call by listed rows.
func (c *Call) ByList(rows []Row) (Charge, error) {
	row, missing := InForce(rows, c.At, c.Usage.Prompt())
	switch {
	case row == nil && rows == nil:
		return Charge{}, &UnknownError{What: "model"}
	case row == nil:
		return Charge{}, &UnknownError{What: missing}
	case !row.Priced() && row.MinPrompt > 0:
		return Charge{}, &UnknownError{What: "tier"}
	case !row.Priced():
		return Charge{}, &UnknownError{What: "model"}
	}
	factor, cached, err := c.factor(row)
	if err != nil {
		return Charge{}, err
	}
	charge := Charge{row, factor}
	return charge, c.check(&charge, cached)
}

// factor returns the factor of the mode. cached reports whether it holds for cached input.
func (c *Call) factor(row *Row) (factor Factor, cached bool, err error) {
	switch {
	case c.Mode == "" && row.peak() && c.At.Before(peakSince): // the row has an open beginning
		return 0, false, &UnknownError{What: "period"}
	case c.Mode == "" && row.peak() && offPeak(c.At):
		return Half, true, nil
	case c.Mode == "":
		return Whole, true, nil
	}
	mode := c.Mode
	if c.Provider == "openai" && mode == "fast" { // the newer name of the same tier
		mode = "priority"
	}
	f, ok := factorOf(c.Provider, row.Model, mode, c.At)
	if !ok || (row.MinPrompt > 0 && !f.Long) {
		return 0, false, c.unknownMode()
	}
	return f.Factor, f.Cached, nil
}

// unknownMode returns the error of a mode without a price. Media and unknown counts are modes of the usage.
func (c *Call) unknownMode() error {
	for part := range strings.SplitSeq(c.Mode, "+") {
		if name, ok := strings.CutPrefix(part, "count:"); ok {
			return &UnknownError{What: "count", Name: name}
		}
		if part == "audio" || part == "image" {
			return &UnknownError{What: part}
		}
	}
	return &UnknownError{What: "mode", Name: c.Mode}
}

// check reports whether every kind of token that was used has a price.
func (c *Call) check(charge *Charge, cached bool) error {
	if err := c.checkUnlisted(); err != nil {
		return err
	}
	if !cached && c.Usage.CacheRead > 0 {
		return &UnknownError{What: "cache_read"}
	}
	for _, part := range c.listed(charge.Row) {
		if part.Tokens > 0 && !part.Price.Known() {
			return &UnknownError{What: strings.TrimPrefix(part.What, "tool_")}
		}
	}
	return nil
}

// checkUnlisted refuses what no row has a price of: audio and image tokens, and the fees of tools.
func (c *Call) checkUnlisted() error {
	u := &c.Usage
	switch {
	case u.AudioInput+u.AudioCacheRead+u.AudioOutput > 0:
		return &UnknownError{What: "audio"}
	case u.ImageInput+u.ImageCacheRead+u.ImageOutput > 0:
		return &UnknownError{What: "image"}
	}
	for _, tool := range slices.Sorted(maps.Keys(u.Requests)) {
		if u.Requests[tool] > 0 {
			return &UnknownError{What: "tool", Name: tool}
		}
	}
	return nil
}

// Part is the charge for one kind of token.
type Part struct {
	What   string
	Tokens int64
	// Price is after the factor of the mode.
	Price Price
}

// kindCount is the number of kinds of token.
const kindCount = 6

// Parts returns a part for each of the n kinds of token that were used.
func (c *Call) Parts(charge *Charge) (parts [kindCount]Part, n int) {
	for _, part := range c.listed(charge.Row) {
		if part.Tokens > 0 {
			part.Price = part.Price.Times(charge.factor)
			parts[n] = part
			n++
		}
	}
	return parts, n
}

// listed returns the kinds of token with their listed prices.
func (c *Call) listed(row *Row) [kindCount]Part {
	u := &c.Usage
	return [kindCount]Part{
		{"input", u.Input, row.Input},
		{"tool_input", u.ToolInput, row.Input},
		{"cache_read", u.CacheRead, row.CacheRead},
		{"cache_write_5m", u.CacheWrite5m, row.CacheWrite5m},
		{"cache_write_1h", u.CacheWrite1h, row.CacheWrite1h},
		{"output", u.Output, row.Output},
	}
}
