package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// columns are the columns of prices, in the order of the cells.
var columns = [cells]string{"input", "cache_read", "cache_write_5m", "cache_write_1h", "output"}

// table is a price table in the format of the built-in one. Its comments and the order of its rows stay.
type table struct {
	header  map[string]int
	rows    []*row // comments and the header too
	changed bool
}

// row is a line of the table; cells is nil for a comment and for the header.
type row struct {
	text   string
	cells  []string
	header map[string]int
}

func readTable(path string) (*table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &table{}
	for line := range strings.Lines(string(text)) {
		r := &row{text: strings.TrimRight(line, "\r\n"), header: t.header}
		cells := strings.Split(r.text, ",")
		switch {
		case strings.HasPrefix(line, "#") || r.text == "":
		case t.header == nil:
			t.header = make(map[string]int)
			for i, name := range cells {
				t.header[name] = i
			}
		case len(cells) != len(t.header):
			return nil, fmt.Errorf("%s: %q has %d cells, and the header %d", path, r.text, len(cells), len(t.header))
		default:
			r.cells = cells
		}
		t.rows = append(t.rows, r)
	}
	for _, name := range append(columns[:], "provider", "model_id", "above", "valid_from", "valid_until", "sources", "verified_at") {
		if _, ok := t.header[name]; !ok {
			return nil, fmt.Errorf("%s has no column %s", path, name)
		}
	}
	return t, nil
}

func (t *table) write(path string) error {
	if !t.changed {
		return nil
	}
	var text strings.Builder
	for _, r := range t.rows {
		if r.cells != nil {
			r.text = strings.Join(r.cells, ",")
		}
		text.WriteString(r.text + "\n")
	}
	return replace(path, []byte(text.String()))
}

// cell returns a cell; "" for a column that the table does not have.
func (r *row) cell(name string) string {
	i, ok := r.header[name]
	if !ok || r.cells == nil {
		return ""
	}
	return r.cells[i]
}

func (r *row) set(name, text string) {
	if i, ok := r.header[name]; ok {
		r.cells[i] = text
	}
}

// prices returns the prices of the row, without those of a single source.
func (r *row) prices() rates {
	var p rates
	for i, name := range columns {
		if text := r.cell(name); !strings.HasSuffix(text, "?") {
			p[i] = decimal(text, 1)
		}
	}
	return p
}

// key returns the price of the row. The long context of xAI begins at 200,000 tokens, which the feeds write as above 200,000 and
// the built-in table as above 199,999.
func (r *row) key() priceKey {
	above, _ := strconv.ParseInt(r.cell("above"), 10, 64)
	if r.cell("provider") == "xai" && above == 199999 {
		above = 200000
	}
	return priceKey{r.cell("provider"), r.cell("model_id"), above}
}

// aboveCell returns the cell of a new row, in the way of the table.
func (t *table) aboveCell(key priceKey) string {
	written := func(r *row) bool { return r.cell("provider") == "xai" && r.cell("above") == "200000" }
	if key.provider == "xai" && key.above == 200000 && !slices.ContainsFunc(t.rows, written) {
		return "199999"
	}
	return strconv.FormatInt(key.above, 10)
}

// validOn reports whether the row is in force on a day. A time within a day is after its beginning.
func (r *row) validOn(day string) bool {
	until := r.cell("valid_until")
	return r.cell("valid_from") <= day && (until == "" || day < until)
}

// textRow reports whether the row is for text; audio and image have rows of their own.
func (r *row) textRow() bool {
	modality := r.cell("modality")
	return r.cells != nil && (modality == "" || modality == "text")
}

// inForce returns the rows of a price for standard requests on a day.
func (t *table) inForce(key priceKey, day string) []*row {
	var in []*row
	for _, r := range t.rows {
		if r.textRow() && r.cell("mode") == "" && r.validOn(day) && r.key() == key {
			in = append(in, r)
		}
	}
	return in
}

// keys returns the prices for standard requests that the table has rows of.
func (t *table) keys() map[priceKey]bool {
	keys := make(map[priceKey]bool)
	for _, r := range t.rows {
		if r.textRow() {
			keys[r.key()] = true
		}
	}
	return keys
}

// verified returns when the rows of the model of a price without a row in force were last verified. listed reports whether the
// price had a row. only has the rows of modes that the model is sold in alone, or that begin later.
func (t *table) verified(key priceKey, day string) (at string, listed bool, only []*row) {
	standard := false
	for _, r := range t.rows {
		if k := r.key(); !r.textRow() || k.provider != key.provider || k.model != key.model {
			continue
		}
		at = max(at, r.cell("verified_at"))
		listed = listed || r.key() == key
		standard = standard || (r.cell("mode") == "" && r.validOn(day))
		if (r.cell("mode") != "" && r.validOn(day)) || (r.key() == key && r.cell("valid_from") > day) {
			only = append(only, r)
		}
	}
	if standard && len(only) > 0 && only[0].cell("valid_from") <= day {
		only = nil // other modes beside the standard one
	}
	return at, listed, only
}

// sells reports whether a tier has a row for shorter prompts.
func (t *table) sells(key priceKey, day string) bool {
	return key.above == 0 || len(t.inForce(priceKey{key.provider, key.model, 0}, day)) > 0
}

// change ends the rows in force, and adds one with other prices that ends when they would have ended.
func (t *table) change(in []*row, old *row, next rates, sources, from, day string) {
	added := &row{cells: slices.Clone(old.cells), header: t.header}
	added.fill(next, sources, from, day)
	for _, r := range in {
		r.set("valid_until", from)
	}
	t.rows = slices.Insert(t.rows, slices.Index(t.rows, in[len(in)-1])+1, added)
	t.changed = true
}

func (r *row) fill(p rates, sources, from, day string) {
	for i, name := range columns {
		r.set(name, p[i])
	}
	r.set("sources", sources)
	r.set("valid_from", from)
	r.set("verified_at", day)
}

// add adds a row after those of the model, else before the first of the provider that sorts after it, else at the end of the
// provider or of the table.
func (t *table) add(key priceKey, p rates, sources, from, day string) {
	added := &row{cells: make([]string, len(t.header)), header: t.header}
	added.set("provider", key.provider)
	added.set("model_id", key.model)
	added.set("above", t.aboveCell(key))
	added.fill(p, sources, from, day)
	at, end := len(t.rows), 0
	for i, r := range t.rows {
		switch k := r.key(); {
		case r.cells == nil || k.provider != key.provider:
			continue
		case k.model == key.model:
			at = i + 1
		case at == len(t.rows) && compareKeys(k, key) > 0:
			at = i
		}
		end = i + 1
	}
	if at == len(t.rows) && end > 0 {
		at = end
	}
	t.rows = slices.Insert(t.rows, at, added)
	t.changed = true
}

// codes returns the codes of the feeds for column sources.
func codes(by []vote) string {
	var all []string
	for _, v := range by {
		all = append(all, v.feed.code)
	}
	return strings.Join(all, "+")
}

// figures returns the known prices, or nil if no price is known.
func (p rates) figures() figures {
	f := make(figures)
	for i, usd := range p {
		if usd != "" {
			f[columns[i]] = json.Number(usd)
		}
	}
	if len(f) == 0 {
		return nil
	}
	return f
}

// figures returns the statement of a vote with its dates and why it does not count.
func (v vote) figures() figures {
	f := v.Prices.figures()
	for name, text := range map[string]string{"since": v.began(), "doubt": v.Doubt, "gone": v.Gone} {
		if text != "" {
			f[name] = text
		}
	}
	return f
}
