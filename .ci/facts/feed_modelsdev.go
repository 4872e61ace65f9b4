package main

import (
	"encoding/json"
	"slices"
)

var modelsDevProviders = map[string]string{"openai": "openai", "anthropic": "anthropic", "google": "gemini", "xai": "xai", "deepseek": "deepseek"}

// readModelsDev reads https://models.dev/api.json, in USD per million tokens:
// {provider: {models: {id: {cost, release_date}}}}.
func readModelsDev(text []byte, _ string) (statements, error) {
	var all map[string]object
	if err := decode(text, &all); err != nil {
		return nil, err
	}
	found := make(statements)
	for source, provider := range modelsDevProviders {
		models := all[source].object("models")
		for id := range models {
			readModelsDevModel(found, provider, id, models.object(id))
		}
	}
	return found, nil
}

func readModelsDevModel(found statements, provider, id string, m object) {
	key := priceKey{provider: provider, model: modelName("models.dev", provider, id)}
	if key.model == "" {
		return
	}
	one := statement{Named: true, Released: m.text("release_date"), NotText: !onlyText(m.object("modalities").list("output"))}
	if own := m.text("id"); own != "" && own != id {
		one.Doubt = "the id of another model"
	}
	cost := m.object("cost")
	add := func(above int64, cost object) {
		key.above, one.Prices = above, rates{cost.usd("input", 1), cost.usd("cache_read", 1), cost.usd("cache_write", 1), "", cost.usd("output", 1)}
		found.add(key, one)
	}
	add(0, cost)
	tiers := cost.list("tiers")
	for _, tier := range tiers {
		size, _ := asObject(tier).object("tier")["size"].(json.Number)
		if above, err := size.Int64(); err == nil && above > 0 {
			add(above, asObject(tier))
		}
	}
	// context_over_200k repeats the first tier, whatever its size. OpenAI's long context
	// starts at 272,000.
	if over := cost.object("context_over_200k"); len(tiers) == 0 && over != nil && provider != "openai" {
		add(200000, over)
	}
}

// onlyText is true for an empty list.
func onlyText(modalities []any) bool {
	return !slices.ContainsFunc(modalities, func(m any) bool { return m != "text" })
}
