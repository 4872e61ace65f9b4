package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// in cell order
var columns = [cells]string{"input", "cache_read", "cache_write_5m", "cache_write_1h", "output"}

// table is a price table in the built-in format. Comments and row order are kept.
type table struct {
	header  map[string]int
	rows    []*row // including comments and header
	changed bool
}

// row is a table line. cells is nil for comments and the header.
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

// cell returns "" if the table doesn't have the column.
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

// prices leaves out single-source prices, which end in "?".
func (r *row) prices() rates {
	var p rates
	for i, name := range columns {
		if text := r.cell(name); !strings.HasSuffix(text, "?") {
			p[i] = decimal(text, 1)
		}
	}
	return p
}

// key normalizes xAI's long context, which starts at 200,000 tokens: feeds say above
// 200,000, and the built-in table says above 199,999.
func (r *row) key() priceKey {
	above, _ := strconv.ParseInt(r.cell("above"), 10, 64)
	if r.cell("provider") == "xai" && above == 199999 {
		above = 200000
	}
	return priceKey{r.cell("provider"), r.cell("model_id"), above}
}

// aboveCell undoes key's normalization, unless the table says 200000.
func (t *table) aboveCell(key priceKey) string {
	written := func(r *row) bool { return r.cell("provider") == "xai" && r.cell("above") == "200000" }
	if key.provider == "xai" && key.above == 200000 && !slices.ContainsFunc(t.rows, written) {
		return "199999"
	}
	return strconv.FormatInt(key.above, 10)
}

// validOn works on days. A valid_from time within a day is after that day's start.
func (r *row) validOn(day string) bool {
	until := r.cell("valid_until")
	return r.cell("valid_from") <= day && (until == "" || day < until)
}

// textRow reports whether the row is for text. Audio and image have separate rows.
func (r *row) textRow() bool {
	modality := r.cell("modality")
	return r.cells != nil && (modality == "" || modality == "text")
}

// inForce returns rows for standard requests.
func (t *table) inForce(key priceKey, day string) []*row {
	var in []*row
	for _, r := range t.rows {
		if r.textRow() && r.cell("mode") == "" && r.validOn(day) && r.key() == key {
			in = append(in, r)
		}
	}
	return in
}

// keys covers all text rows.
func (t *table) keys() map[priceKey]bool {
	keys := make(map[priceKey]bool)
	for _, r := range t.rows {
		if r.textRow() {
			keys[r.key()] = true
		}
	}
	return keys
}

// verified is for a price without a row in force. It returns when the model's rows were
// last verified, and whether the price ever had a row. only has the current rows if the
// model is sold only in modes, and rows that start later.
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
		only = nil // the standard mode is sold, too
	}
	return at, listed, only
}

// sells reports whether shorter prompts have a row. The base price needs none.
func (t *table) sells(key priceKey, day string) bool {
	return key.above == 0 || len(t.inForce(priceKey{key.provider, key.model, 0}, day)) > 0
}

// change ends the rows in force, and adds one with other prices that ends when old
// would have.
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

// complete keeps the row's period and unknown cells.
func (t *table) complete(r *row, p rates, by []vote, day string) {
	for i, name := range columns {
		if p[i] != "" {
			r.set(name, p[i])
		}
	}
	sources := strings.FieldsFunc(r.cell("sources"), func(c rune) bool { return c == '+' })
	for _, v := range by {
		if !slices.Contains(sources, v.feed.code) {
			sources = append(sources, v.feed.code)
		}
	}
	r.set("sources", strings.Join(sources, "+"))
	r.set("verified_at", day)
	t.changed = true
}

// add puts the row after the model's rows, else before the provider's next model in
// sort order, else at the end of the provider or table.
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

func codes(by []vote) string {
	var all []string
	for _, v := range by {
		all = append(all, v.feed.code)
	}
	return strings.Join(all, "+")
}

// figures returns nil if no price is known.
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

// figures adds dates, and the reason if the vote doesn't count.
func (v vote) figures() figures {
	f := v.Prices.figures()
	for name, text := range map[string]string{"since": v.began(), "doubt": v.Doubt, "gone": v.Gone} {
		if text != "" {
			f[name] = text
		}
	}
	return f
}
