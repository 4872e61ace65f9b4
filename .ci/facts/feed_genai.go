package main

import (
	"encoding/json"
	"strings"
	"time"
)

var genaiProviders = map[string]string{"openai": "openai", "anthropic": "anthropic", "google": "gemini", "x-ai": "xai", "deepseek": "deepseek"}

var genaiCells = rates{"input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok", "output_mtok"}

// readGenaiPrices reads data.json from genai-prices, in USD per million tokens: [{id,
// models: [{id, match, prices}]}]. Its patterns apply to ids that other feeds use for
// the same model: see [statements.of].
func readGenaiPrices(text []byte, day string) (statements, error) {
	var all []object
	if err := decode(text, &all); err != nil {
		return nil, err
	}
	found := make(statements)
	for _, source := range all {
		provider, ok := genaiProviders[source.text("id")]
		if !ok {
			continue
		}
		for _, v := range source.list("models") {
			m := asObject(v)
			list, start := genaiPrices(m["prices"], day)
			for _, n := range genaiNames(m) {
				if model := modelName("genai-prices", provider, n.id); model != "" {
					readGenaiModel(found, priceKey{provider: provider, model: model + n.rest}, list, statement{Start: start, Named: n.named && model == n.id})
				}
			}
		}
	}
	return found, nil
}

func readGenaiModel(found statements, key priceKey, list object, one statement) {
	above := map[int64]bool{0: true}
	for _, name := range genaiCells {
		for _, tier := range list.object(name).list("tiers") {
			if start, ok := asObject(tier)["start"].(json.Number); ok {
				if n, err := start.Int64(); err == nil && n > 0 {
					above[n] = true
				}
			}
		}
	}
	for key.above = range above {
		for i, name := range genaiCells {
			one.Prices[i] = genaiPrice(list, name, key.above)
		}
		found.add(key, one)
	}
}

// genaiPrice returns a price for prompts longer than above. Without tiers it holds for
// all.
func genaiPrice(list object, name string, above int64) string {
	tiers := list.object(name)
	if tiers == nil {
		return list.usd(name, 1)
	}
	usd := tiers.usd("base", 1)
	for _, v := range tiers.list("tiers") { // sorted by start
		tier := asObject(v)
		if start, ok := tier["start"].(json.Number); ok {
			if n, err := start.Int64(); err == nil && n <= above {
				usd = tier.usd("price", 1)
			}
		}
	}
	return usd
}

// genaiPrices returns the day's prices and their start date. If prices depend on the
// time of day, it returns nothing: table rows without a mode can't express that.
func genaiPrices(v any, day string) (list object, start string) {
	periods, ok := v.([]any)
	if !ok {
		return asObject(v), ""
	}
	for _, p := range periods {
		constraint := asObject(p).object("constraint")
		date := constraint.text("start_date")
		switch {
		case len(constraint) > 0 && !isDate(date):
			return nil, ""
		case date <= day && date >= start:
			list, start = asObject(p).object("prices"), date
		}
	}
	return list, start
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// genaiName is a model id. If rest is "*", it matches build ids with this prefix.
type genaiName struct {
	id, rest string
	named    bool
}

func genaiNames(m object) []genaiName {
	all := []genaiName{{id: m.text("id"), named: true}}
	clauses := m.object("match").list("or")
	for _, v := range append(clauses, any(map[string]any(m.object("match")))) {
		clause := asObject(v)
		if id := clause.text("equals"); id != "" {
			all = append(all, genaiName{id: strings.TrimPrefix(id, "x-ai/"), named: true})
		}
		if id := clause.text("starts_with"); id != "" {
			all = append(all, genaiName{id: id}, genaiName{id: id, rest: "*"})
		}
	}
	return all
}
