package pricelist

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
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

// Charge is the row that bills a call, with the factor of its mode and a part for each kind of token that was used.
type Charge struct {
	Row    *Row
	Factor decimal.Decimal
	Parts  []Part
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
	charge = Charge{row, whole, c.parts(row)}
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
	charge := Charge{row, factor, c.parts(row)}
	return charge, c.check(&charge, cached)
}

// factor returns the factor of the mode. cached reports whether it holds for cached input.
func (c *Call) factor(row *Row) (factor decimal.Decimal, cached bool, err error) {
	switch {
	case c.Mode == "" && row.peak() && c.At.Before(peakSince): // the row has an open beginning
		return factor, false, &UnknownError{What: "period"}
	case c.Mode == "" && row.peak() && offPeak(c.At):
		return half, true, nil
	case c.Mode == "":
		return whole, true, nil
	}
	mode := c.Mode
	if c.Provider == "openai" && mode == "fast" { // the newer name of the same tier
		mode = "priority"
	}
	f, ok := factorOf(c.Provider, row.Model, mode, c.At)
	if !ok || (row.MinPrompt > 0 && !f.Long) {
		return factor, false, c.unknownMode()
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
	for _, part := range charge.Parts {
		if part.Price == nil {
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
	case len(u.Requests) == 0: // sorting no names would allocate
		return nil
	}
	for _, tool := range slices.Sorted(maps.Keys(u.Requests)) {
		if u.Requests[tool] > 0 {
			return &UnknownError{What: "tool", Name: tool}
		}
	}
	return nil
}

// Part is the tokens of one kind that a call used.
type Part struct {
	What   string
	Tokens int64
	// Price is the listed one, before the factor of the charge.
	Price Price
}

// parts returns a part for each kind of token that was used.
func (c *Call) parts(row *Row) []Part {
	u := &c.Usage
	return slices.DeleteFunc([]Part{
		{"input", u.Input, row.Input},
		{"tool_input", u.ToolInput, row.Input},
		{"cache_read", u.CacheRead, row.CacheRead},
		{"cache_write_5m", u.CacheWrite5m, row.CacheWrite5m},
		{"cache_write_1h", u.CacheWrite1h, row.CacheWrite1h},
		{"output", u.Output, row.Output},
	}, func(p Part) bool { return p.Tokens == 0 })
}
