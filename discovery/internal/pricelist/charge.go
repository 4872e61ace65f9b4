package pricelist

import (
	"maps"
	"slices"
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

// UnknownError is the error of a call whose cost is not known.
type UnknownError struct {
	// Missing names what is not known, and Why is the predicate of a sentence about the model.
	Missing, Why string
}

func (e *UnknownError) Error() string { return e.Missing + ": the model " + e.Why }

// ByOwn charges the call by the caller's own rows that are for its mode. It reports whether they are in force: a model that has
// such rows is never billed by other ones.
func (c *Call) ByOwn(rows []Row) (charge Charge, inForce bool, err error) {
	if rows == nil {
		return Charge{}, false, nil
	}
	if row, missing := InForce(rows, c.At, c.Usage.Prompt()); row == nil && missing == "period" {
		return Charge{}, false, nil
	}
	var ofMode []Row
	for _, row := range rows {
		if row.Mode == c.Mode {
			ofMode = append(ofMode, row)
		}
	}
	row, missing := InForce(ofMode, c.At, c.Usage.Prompt())
	switch {
	case row == nil && missing == "tier":
		return Charge{}, false, &UnknownError{"tier", "has no row of WithPrices for prompts of this length"}
	case row == nil:
		return Charge{}, false, &UnknownError{"mode", "has no row of WithPrices for this mode"}
	}
	charge = Charge{row, Whole}
	return charge, true, c.check(&charge, true)
}

// ByList charges the call by listed rows.
func (c *Call) ByList(rows []Row) (Charge, error) {
	row, missing := InForce(rows, c.At, c.Usage.Prompt())
	switch {
	case row == nil:
		return Charge{}, &UnknownError{missing, "has no listed price for this time and length of the prompt"}
	case !row.Priced() && row.Above > 0:
		return Charge{}, &UnknownError{"tier", "has another price for prompts of this length, which is not known"}
	case !row.Priced():
		return Charge{}, &UnknownError{"model", "is listed without a price"}
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
	case c.Mode == "" && row.peak() && !peakKnown(c.At):
		return 0, false, &UnknownError{"period", "has no known price for this time, before the peak prices"}
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
	if !ok || (row.Above > 0 && !f.Long) {
		return 0, false, &UnknownError{"mode", "has no documented price in this mode"}
	}
	return f.Factor, f.Cached, nil
}

// check reports whether every kind of token that was used has a price.
func (c *Call) check(charge *Charge, cached bool) error {
	if err := c.checkUnlisted(); err != nil {
		return err
	}
	if !cached && c.Usage.CacheRead > 0 {
		return &UnknownError{"cache price", "has no agreed price of cached input in this mode"}
	}
	parts := c.listed(charge.Row)
	for i := range parts {
		switch part := &parts[i]; {
		case part.Tokens == 0 || part.Price.Known():
		case part.What == "input" || part.What == "tool_input" || part.What == "output":
			return &UnknownError{"price of " + part.What, "has no such price"}
		default:
			return &UnknownError{"cache price", "has no known price of " + part.What}
		}
	}
	return nil
}

// checkUnlisted refuses what no row has a price of: audio and image tokens, and the fees of tools.
func (c *Call) checkUnlisted() error {
	u := &c.Usage
	switch {
	case u.AudioInput+u.AudioCacheRead+u.AudioOutput > 0:
		return &UnknownError{"price of audio", "has no known price of audio"}
	case u.ImageInput+u.ImageCacheRead+u.ImageOutput > 0:
		return &UnknownError{"price of image", "has no known price of images"}
	}
	for _, tool := range slices.Sorted(maps.Keys(u.Requests)) {
		return &UnknownError{"fee of " + tool, "has no known fee of this tool"}
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
