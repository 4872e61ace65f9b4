package prices_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCostOfModelsOfNovember2026(t *testing.T) {
	t.Parallel()
	const day = "2026-11-22"
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"hydrogen", models.Gemini, "gemini-4-hydrogen", day, thousand, "", "0.009", ""},
		{"carbon", models.Gemini, "gemini-4-carbon", "2026-11-30", thousand, "", "0.012", ""},
		{"carbon after its introductory price", models.Gemini, "gemini-4-carbon", "2026-12-01", thousand, "", "0.024", ""},
		{"neon", models.Gemini, "gemini-4-neon", day, thousand, "", "0.018", ""},
		{"a model whose successor has its price", models.Gemini, "gemini-2.5-flash", "2026-12-05", thousand, "", "0.0028", ""},
		{"cached input of astra", models.OpenAI, "gpt-6.2-astra", day, prices.Usage{Input: 1_000, CacheRead: 9_000, Output: 100}, "", "0.0156", ""},
		{"12-hour writes of terra", models.OpenAI, "gpt-6.1-terra", day, prices.Usage{CacheWrite1h: 1_000}, "", "0.0025", ""},
		{"a model without output", models.Gemini, "gemini-decision-1", day, prices.Usage{Input: 1_000}, "", "0.0001", ""},
		{"embeddings", models.OpenAI, "text-embedding-ada-002", day, prices.Usage{Input: 1_000}, "", "0.0001", ""},
		{"text of an image model", models.OpenAI, "gpt-image-2", day, prices.Usage{Input: 100, ImageOutput: 1_000}, "", "0.0305", ""},
		{"text of a realtime model", models.OpenAI, "gpt-realtime-mini-2025-12-15", day, prices.Usage{Input: 1_000, AudioOutput: 1_000}, "", "0.0206", ""},
		{"audio of a transcript", models.OpenAI, "gpt-4o-transcribe", day, prices.Usage{AudioInput: 1_000, Output: 100}, "", "0.0035", ""},
		{"audio before its price was cut", models.OpenAI, "gpt-4o-transcribe", "2026-05-07", prices.Usage{AudioInput: 1_000, Output: 100}, "", "0.007", ""},
		{"audio between the two sources", models.OpenAI, "gpt-4o-transcribe", "2026-05-20", prices.Usage{AudioInput: 1_000, Output: 100}, "", "", "audio"},
		{"audio that sources disagree on", models.OpenAI, "gpt-4o-transcribe-diarize", day, prices.Usage{AudioInput: 1}, "", "", "audio"},
	})
}

// A response may append the deployment to its model, after a colon.
func TestDeploymentsCostWhatTheirModelDoes(t *testing.T) {
	t.Parallel()
	const day = "2026-09-01"
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"a deployment", models.OpenAI, "gpt-3.5-turbo-instruct:20230824-v2", day, thousand, "", "0.0035", ""},
		{"in another spelling", models.OpenAI, "openai/GPT-3.5-Turbo-Instruct:20230824-v2", day, thousand, "", "0.0035", ""},
		{"of a model without a price", models.OpenAI, "davinci:2023-07-21-v2", day, thousand, "", "", "model"},
		{"a fine-tune", models.OpenAI, "ft:gpt-3.5-turbo:acme::20230824", day, thousand, "", "", "model"},
		{"a variant of a marketplace", models.OpenAI, "gpt-4o:free", day, thousand, "", "", "model"},
		{"a price of another word", models.OpenAI, "gpt-4o:online", day, thousand, "", "", "model"},
	})
	date, dated := models.RetirementDate(models.OpenAI, "davinci:2023-07-21-v2")
	assert.False(t, dated, "davinci has another date: %s", date)
	own, err := prices.BuiltIn().With(prices.Row{
		Provider: models.OpenAI, ModelHint: "gpt-3.5-turbo-instruct:20230824-v2", InputPerMTok: "1", OutputPerMTok: "1",
	})
	require.NoError(t, err)
	checkCosts(t, own, []costCase{{"the caller's own price", models.OpenAI, "gpt-3.5-turbo-instruct:20230824-v2", day, thousand, "", "0.002", ""}})
}

// After its model's retirement, a call costs what it did before: a record may be late,
// and a model may be served longer than announced. Only a price with an end isn't used.
func TestRetiredModelsKeepTheirLastPrice(t *testing.T) {
	t.Parallel()
	list, later := prices.BuiltIn(), on(t, "2030-01-02T12:00:00Z") // no peak hour
	var ended []string
	kept := 0
	for key, date := range models.Retirements().All() {
		if date == "deprecated" || date >= "2026-11-22" {
			continue
		}
		call := prices.Call{Provider: key.Provider, Model: key.ID, Usage: prices.Usage{Input: 1}, At: on(t, date).AddDate(0, 0, -1)}
		before, err := list.CostOf(call)
		if err != nil {
			continue // had no price
		}
		call.At = later
		if after, err := list.CostOf(call); err != nil {
			ended = append(ended, key.ID)
		} else {
			kept++
			assert.Equal(t, before, after, key.ID)
		}
	}
	slices.Sort(ended)
	assert.Equal(t, []string{"deepseek-chat", "deepseek-reasoner"}, ended)
	assert.Greater(t, kept, 100)
}
