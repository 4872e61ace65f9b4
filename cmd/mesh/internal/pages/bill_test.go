package pages_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pages"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// addDay adds a day with an amount billed, a call of a model with a known cost, and unpriced ones.
func addDay(b *pages.Bill, day string, billed float64, model, counted string, unpriced int) {
	b.AddDay(day, billed)
	b.AddCalls(day, model, &calls.Group{Calls: 1 + unpriced, Unpriced: unpriced, USD: counted})
}

func TestBill(t *testing.T) {
	t.Parallel()
	for want, add := range map[string]func(*pages.Bill){
		"counted 0 USD, billed 0 USD, unpriced calls: 0, drift 0 USD":         func(*pages.Bill) {},
		"counted 2 USD, billed 2 USD, unpriced calls: 0, drift 0 USD (0.0 %)": func(b *pages.Bill) { addDay(b, "d", 2, "gpt-5.4", "2", 0); b.AddItem("gpt-5.4, input", "", 2) },
		"counted 0 USD, billed -5 USD, unpriced calls: 0, drift -5 USD; most by day: 2026-11-20 -5; other (no model in costs without a line item, \"Credit\") -5": func(b *pages.Bill) {
			b.AddDay("2026-11-20", -5)
			b.AddItem("Credit", "", -4)
			b.AddItem("", "", -1)
			b.AddItem("Vector storage", "", 0)
		},
		"counted 3 USD, billed 2 USD, unpriced calls: 0, drift -1 USD (-33.3 %); most by day: a -1; by model: gpt-5.4 -3": func(b *pages.Bill) { addDay(b, "a", 2, "gpt-5.4", "3", 0) },
		"counted not known, billed 2 USD, unpriced calls: 1, drift not known; most by day: a +2": func(b *pages.Bill) {
			b.AddDay("a", 2)
			b.AddCalls("a", "gpt-5.4", &calls.Group{Calls: 1, Unpriced: 1, USD: "0"})
		},
		"counted 10.1 USD, billed 7 USD, unpriced calls: 4, drift not known (without them -3.1 USD); most by day: d -4, b +2, c -1.0001; by model: (without) -10.1": func(b *pages.Bill) {
			addDay(b, "a", 1, "", "0.9999", 0)
			addDay(b, "b", 2, "", "0", 4)
			addDay(b, "c", 3, "", "4.0001", 0)
			addDay(b, "d", 1, "", "5", 0)
			addDay(b, "e", 0, "", "0.1", 0)
		},
	} {
		bill := pages.NewBill(models.OpenAI, true)
		add(bill)
		assert.Equal(t, want, bill.Summary())
	}
}

// TestBillByModel compares what line items in the forms of recorded bills name with the models of calls.
func TestBillByModel(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider          models.Provider
		item, field, want string
	}{
		{models.OpenAI, "gpt-4o-mini-2024-07-18, input", "", "gpt-4o-mini"},
		{models.OpenAI, "gpt-6-astra, input_tokens", "", "gpt-6-astra"},
		{models.OpenAI, "gpt-image-2.5-flare image, output", "", "gpt-image-2.5-flare"},
		{models.OpenAI, "o3, cached input", "", "o3"},
		{models.OpenAI, "Vector storage", "", ""},
		{models.OpenAI, "Text tokens", "", ""},
		{models.OpenAI, "chat completions", "", ""},
		{models.OpenAI, "GPT-4o mini, input", "", ""},
		{models.OpenAI, "gpt-4o and gpt-4o-mini, storage", "", ""},
		{models.OpenAI, "claude-opus-4-8, input", "", ""},
		{models.Anthropic, "Claude Opus 4.8 Usage - Input Tokens", "claude-opus-4-8", "claude-opus-4-8"},
		{models.Anthropic, "Claude Haiku 4.5 Usage - Output Tokens", "claude-haiku-4-5-20251001", "claude-haiku-4-5"},
		{models.Anthropic, "Claude Opus 4.8 Usage - Input Tokens", "", ""},
		{models.Anthropic, "Web Search Usage", "", ""},
		{models.XAI, "Chat grok-3-mini", "", "grok-3-mini"},
		{models.XAI, "API grok-imagine-video-1.5", "", "grok-imagine-video-1.5"},
		{models.XAI, "File Storage", "", ""},
	} {
		b := pages.NewBill(row.provider, true)
		b.AddDay("2026-11-20", 1.5)
		b.AddItem(row.item, row.field, 1.5)
		want := "; by model: " + row.want + " +1.5"
		if row.want == "" {
			want = fmt.Sprintf("; other (no model in %q) +1.5", row.item)
		}
		assert.Contains(t, b.Summary(), want, row.item)
	}
}

// TestBillOfOtherSpellings checks that the builds of a model are compared with the model.
func TestBillOfOtherSpellings(t *testing.T) {
	t.Parallel()
	b := pages.NewBill(models.OpenAI, true)
	addDay(b, "d", 0.3, "gpt-4o", "0.1", 0)
	addDay(b, "d", 0, "openai/gpt-4o-2024-08-06", "0.2000000000000001", 0)
	b.AddItem("gpt-4o-2024-08-06, input", "", 0.1)
	b.AddItem("gpt-4o-2024-11-20, input", "", 0.2)
	assert.Equal(t, "counted 0.3 USD, billed 0.3 USD, unpriced calls: 0, drift 0 USD (0.0 %)", b.Summary(), "what is less than a millionth is no difference")
}

func TestBillPage(t *testing.T) {
	t.Parallel()
	b := pages.NewBill(models.OpenAI, true)
	addDay(b, "2026-11-20", 4, "<b>\u202ered", "3", 2)
	b.AddItem("gpt-5.4, input", "", 3.5)
	b.AddItem("<i>storage", "", 0.5)
	b.AddCalls("2026-11-20", "gpt-none", &calls.Group{Calls: 1, Unpriced: 1, USD: "0"})
	var page bytes.Buffer
	require.NoError(t, b.Page().Write(&page))
	for _, want := range []string{
		"Bill of openai", "in no sum: 3.", "<bdi>&lt;b&gt;\ufffdred</bdi>", "<bdi>other (no model in &#34;&lt;i&gt;storage&#34;)</bdi>",
		`<td data-name="Billed">3.50</td><td data-name="Counted">0</td><td data-name="Drift">&#43;3.50</td>`, `<td data-name="Drift">-3.00</td>`, `<td data-name="Counted">not known</td><td data-name="Drift">not known</td><td data-name="Unpriced" class="some">1</td>`, "<title>2026-11-20 counted: 3.00 USD</title>",
	} {
		assert.Contains(t, page.String(), want)
	}
	assert.NotContains(t, b.Summary(), "\u202e", "a terminal would show the rest in reverse")

	page.Reset()
	alone := pages.NewBill(models.XAI, false)
	alone.AddDay("2026-11-20", 4)
	for i := range 130 {
		alone.AddItem(fmt.Sprintf("Chat grok-4.%d", i), "", float64(i))
	}
	require.NoError(t, alone.Page().Write(&page))
	assert.NotContains(t, page.String(), "ounted", "nothing was counted")
	assert.Contains(t, page.String(), `<bdi>30 more</bdi></th><td data-name="Billed">435.00</td>`)
}
