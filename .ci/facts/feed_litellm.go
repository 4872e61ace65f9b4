package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var liteLLMProviders = map[string]string{
	"openai": "openai", "text-completion-openai": "openai", "anthropic": "anthropic", "gemini": "gemini", "xai": "xai", "deepseek": "deepseek",
}

// longInput matches keys for long prompts. Priority and flex keys have another suffix.
var longInput = regexp.MustCompile(`^input_cost_per_token(_above_(\d+)k_tokens)$`)

// readLiteLLM reads model_prices_and_context_window.json, in USD per token: {id:
// {litellm_provider, mode, …_cost…}}.
func readLiteLLM(text []byte, _ string) (statements, error) {
	var all map[string]any
	if err := decode(text, &all); err != nil {
		return nil, err
	}
	found := make(statements)
	for id, v := range all {
		m := asObject(v)
		source := m.text("litellm_provider")
		provider, rest := liteLLMProviders[source], id
		if prefix, after, ok := strings.Cut(id, "/"); ok && prefix == source {
			rest = after
		} else if provider == "gemini" { // without the prefix it's Vertex
			continue
		}
		if model := modelName("litellm", provider, rest); provider != "" && model != "" {
			readLiteLLMModel(found, priceKey{provider: provider, model: model}, m, model == rest)
		}
	}
	return found, nil
}

func readLiteLLMModel(found statements, key priceKey, m object, named bool) {
	one := statement{Named: named, NotText: !slices.Contains([]string{"chat", "completion", "responses"}, m.text("mode"))}
	add := func(above int64, suffix string) {
		const perMillion = 1e6
		key.above = above
		one.Prices = rates{
			m.usd("input_cost_per_token"+suffix, perMillion), m.usd("cache_read_input_token_cost"+suffix, perMillion),
			m.usd("cache_creation_input_token_cost"+suffix, perMillion),
			m.usd("cache_creation_input_token_cost_above_1hr"+suffix, perMillion), m.usd("output_cost_per_token"+suffix, perMillion),
		}
		found.add(key, one)
	}
	add(0, "")
	for name := range m {
		if long := longInput.FindStringSubmatch(name); long != nil {
			if thousands, err := strconv.ParseInt(long[2], 10, 32); err == nil && thousands > 0 {
				add(thousands*1000, long[1])
			}
		}
	}
}
