package pricelist

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Call is a call to price, with ByOwn or ByList.
type Call struct {
	Provider, Model string
	// Mode is what usage.Mode returns.
	Mode  string
	At    time.Time
	Usage usage.Usage
	Place
	*Terms
}

// Charge has the row that bills the call's text, its mode's factor, and a Part for each
// token kind used.
type Charge struct {
	Row *Row
	// Mode is the row's mode, or the factor's; "" is standard.
	Mode   string
	Factor decimal.Decimal
	Parts  []Part
	Uses   []Use
}

// UnknownError reports a call without a known cost. Its fields are as in
// prices.UnpricedError.
type UnknownError struct{ What, Name string }

func (u *UnknownError) Error() string { return strings.TrimSpace(u.What + " " + u.Name) }

// ByOwn charges the call by the caller's own rows. At least one row for text must be in
// force. No factor is applied.
//
// If the error is a *UnknownError, the Charge has the parts and uses with known prices.
// In an unknown mode, which may be cheaper, it is empty.
func (c *Call) ByOwn(rows []Row) (Charge, error) {
	row, missing := c.Row(rows, c.Mode)
	switch {
	case row == nil && missing == "tier":
		return c.onlyFees(&UnknownError{What: missing})
	case row == nil:
		return Charge{}, c.unknownMode()
	}
	if row.free() {
		row = row.whole()
	}
	charge := Charge{Row: row, Mode: row.Mode, Factor: whole, Parts: c.parts(row, rows)}
	return charge, c.check(&charge, true)
}

// ByList charges text by listed rows, and audio and images by media rows. Its errors
// are as in ByOwn.
func (c *Call) ByList(rows, media []Row) (Charge, error) {
	if row, _ := c.Row(rows, c.listedMode()); c.Mode != "" && c.Platform == "" && row != nil { // the mode has its own prices, so no factor applies
		charge := Charge{Row: row, Mode: c.Mode, Factor: whole, Parts: c.parts(row, media)}
		return charge, c.check(&charge, true)
	}
	row, missing := c.Row(rows, "")
	if row == nil || !row.Priced() {
		return c.onlyFees(c.unpricedRow(rows, row, missing))
	}
	factor, cached, err := c.factor(row)
	if err != nil && (c.Mode != "" || factor.IsZero()) {
		return Charge{}, err
	}
	charge := Charge{Row: row, Mode: cmp.Or(c.Mode, row.Mode), Factor: factor, Parts: c.parts(row, media)}
	return charge, cmp.Or(err, c.check(&charge, cached || err != nil))
}

// onlyFees returns the fees for a call whose tokens have no known price.
func (c *Call) onlyFees(err error) (Charge, error) {
	if c.Mode != "" {
		return Charge{}, err
	}
	uses, _ := c.uses(c.Model)
	return Charge{Uses: uses}, err
}

// Row returns the row for text in a mode. A standard DeepSeek call gets the hour's
// mode.
func (c *Call) Row(rows []Row, mode string) (row *Row, missing string) {
	prompt := c.Usage.Prompt()
	if hour := c.Terms.mode(c.Provider, c.At); mode == "" && hour != "" {
		if row, missing = InForce(rows, Kind{Mode: hour}, c.At, prompt); row != nil || missing == "tier" {
			return row, missing
		}
	}
	return InForce(rows, Kind{Mode: mode}, c.At, prompt)
}

// unpricedRow explains why rows don't price the call. row is nil or has no price.
func (c *Call) unpricedRow(rows []Row, row *Row, missing string) error {
	if _, err := c.region(""); len(rows) == 0 && err != nil {
		return err
	}
	switch {
	case row != nil && row.MinPrompt > 0:
		missing = "tier"
	case !slices.ContainsFunc(rows, func(r Row) bool { return r.Modality == "" && r.Priced() }):
		missing = "model"
	case row != nil: // there is a price at another time
		missing = "period"
	}
	return &UnknownError{What: missing}
}

// listedMode spells the mode as the list does.
func (c *Call) listedMode() string {
	if c.Provider == "openai" && c.Mode == "fast" { // the newer name of the same tier
		return "priority"
	}
	return c.Mode
}

// factor returns the factor for platform and mode. cached reports whether it holds for
// cached input. If region fails, factor returns its factor and error.
func (c *Call) factor(row *Row) (factor decimal.Decimal, cached bool, err error) {
	factor, err = c.region(row.Model)
	switch {
	case err != nil:
		return factor, false, err
	case c.Platform != "":
		return c.platformMode(factor, row)
	case factor != whole && c.Mode != "" && c.Mode != "us": // the id's region and the usage's are the same
		return factor, false, c.unknownMode()
	case factor != whole || c.Mode == "":
		return factor, true, nil
	}
	return c.modeFactor(row)
}

// platformMode multiplies by the platform's own mode factor. The developer's modes
// don't hold on a platform, but Claude's usage may name the region once more.
func (c *Call) platformMode(factor decimal.Decimal, row *Row) (decimal.Decimal, bool, error) {
	if c.Mode == "" || c.Mode == "us" && c.Provider == "anthropic" && factor != whole {
		return factor, true, nil
	}
	mode, ok := c.Terms.factorOf(c.Platform, row.Model, c.Mode, c.At)
	if !ok {
		return factor, false, c.unknownMode()
	}
	return factor.Mul(mode.Factor), mode.Cached, nil
}

// modeFactor multiplies mode factors. Only Anthropic's speed and region combine; any
// other combination is a separate mode, which has no factor.
func (c *Call) modeFactor(row *Row) (factor decimal.Decimal, cached bool, err error) {
	modes := []string{c.listedMode()}
	if c.Provider == "anthropic" && (c.Mode == "fast+us" || c.Mode == "us+fast") {
		modes = []string{"fast", "us"}
	}
	factor, cached = whole, true
	for _, mode := range modes {
		f, ok := c.Terms.factorOf(c.Provider, row.Model, mode, c.At)
		if !ok || (row.MinPrompt > 0 && !f.Long) {
			return factor, false, c.unknownMode()
		}
		factor, cached = factor.Mul(f.Factor), cached && f.Cached
	}
	return factor, cached, nil
}

// unknownMode names the medium if that is the unknown mode: callers may pass "audio".
func (c *Call) unknownMode() error {
	for part := range strings.SplitSeq(c.Mode, "+") {
		if part == "audio" || part == "image" {
			return &UnknownError{What: part}
		}
	}
	return &UnknownError{What: "mode", Name: c.Mode}
}

// check sets the charge's uses, and removes parts without a price. The error names the
// first unpriced use or part.
func (c *Call) check(charge *Charge, cached bool) error {
	uses, err := c.uses(charge.Row.Model)
	charge.Uses = uses
	priced := charge.Parts[:0]
	for _, part := range charge.Parts {
		switch {
		case part.Price != nil && (cached || !strings.HasSuffix(part.What, "cache_read")):
			priced = append(priced, part)
			continue
		case err == nil:
			err = &UnknownError{What: part.kind()}
		}
		if part.Price = part.Single; part.Price != nil && cached {
			priced = append(priced, part)
		}
	}
	charge.Parts = priced
	return err
}

// Kind selects a row's tokens: Modality "" is text, Mode "" a standard request.
type Kind struct{ Mode, Modality string }

// InForce returns the row that bills a request. Among the kind's rows in force at the
// time, it is the one with the highest threshold that the prompt reaches, and on a tie
// the first. Without a row, missing is "period" or "tier".
func InForce(rows []Row, kind Kind, at time.Time, prompt int64) (row *Row, missing string) {
	missing = "period"
	for i := range rows {
		r := &rows[i]
		switch {
		case r.Kind != kind || !r.ValidAt(at):
			continue
		case prompt < r.MinPrompt:
			if row == nil {
				missing = "tier"
			}
		case row == nil || r.MinPrompt > row.MinPrompt:
			row, missing = r, ""
		}
	}
	return row, missing
}

// ValidAt reports whether the row is in force at a time.
func (r *Row) ValidAt(at time.Time) bool { return ValidAt(r.From, r.Until, at) }

// ValidAt reports whether a time is in a period. The end is exclusive, and the zero
// time is an open end.
func ValidAt(from, until, at time.Time) bool {
	return (from.IsZero() || !at.Before(from)) && (until.IsZero() || at.Before(until))
}

// SetLive marks a live list's row, and limits its period.
func (r *Row) SetLive(from, until time.Time) {
	r.Live = true
	if r.From.Before(from) {
		r.From = from
	}
	if r.Until.IsZero() || until.Before(r.Until) {
		r.Until = until
	}
}

// ParseTime reads a date, which begins at 00:00 UTC, or an RFC 3339 time. "" is the
// zero time, an open end.
func ParseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text)
}

// FormatTime reverses ParseTime. It writes 00:00 UTC as a date.
func FormatTime(t time.Time) string {
	switch t = t.UTC(); {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

// SettleBy replaces a live price with the table's if they are nearly equal. If the row
// agrees with the table on the input and output prices that it has, it also gets the
// prices it lacks.
func (r *Row) SettleBy(table *Row) {
	agrees := r.Priced() && (r.Input == nil || near(r.Input, table.Input)) && (r.Output == nil || near(r.Output, table.Output))
	listed := table.prices()
	for i, live := range r.prices() {
		if near(*live, *listed[i]) || (agrees && *live == nil) {
			*live = *listed[i]
		}
	}
}
