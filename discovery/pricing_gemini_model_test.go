package discovery_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// samples has recorded prices in USD per million tokens. Some models have SKUs for short
// and long prompts; 1.5 has two, with the limit at 128k.
var samples = []struct {
	model, style  string
	input, output float64
}{
	{"2.0 flash", "GenerateContent text %s token count for Gemini 2.0 Flash", 0.10, 0.40},
	{"2.5 flash lite", "Generate_content text %s token count for Gemini 2.5 Flash Lite", 0.10, 0.40},
	{"2.5 flash", "Generate content %s token count gemini 2.5 flash short input text", 0.30, 2.50},
	{"2.5 pro", "Generate content %s token count Gemini 2.5 Pro short input text", 1.25, 10},
	{"3 flash", "Generate_content text %s token count for gemini 3 flash", 0.50, 3},
	{"3.5 flash", "Generate content %s token count gemini 3.5 flash text", 1.50, 9},
	{"3.1 flash lite", "Generate content %s token count gemini 3.1 flash lite preview text", 0.25, 1.50},
	{"3 pro", "Generate_content text %s token count for gemini 3 pro short", 2, 12},
	{"3.6 flash", "Generate content %s token count gemini 3.6 flash text", 0.75, 3.75},
	{"3.7 flash", "Generate_content_%s_token_count_gemini_3.7_flash_text", 0.75, 3.75},
}

// unrelatedSKUs covers similarly named models, and other prices for the same models, in
// every style. No sample may get one of these prices. Each costs 777,000 nanos or more.
var unrelatedSKUs = []string{
	"Generate content %s token count gemini 3.5 flash lite text", "Gemini 3.1 Flash Image Text %s - Predictions", "Generate_content text %s token count for Gemini 3 Pro Image",
	"Generate content %s token count gemini 2.5 flash native image generation", "Generate content %s token count gemini 2.5 flash preview tts text",
	"Generate_content text %s token count for Gemini 3.1 Flash Lite Image", "Generate content %s token count gemini 2.0 flash lite text", "Generate content %s token count gemini 3 pro long text",
	"Generate content %s token count Gemini 2.5 Pro long input text", "Generate content %s token count gemini 3.5 flash text flex", "Generate content %s token count gemini 3.5 flash text priority",
	"Generate content %s token count gemini 3.5 flash text batch", "Generate content cached %s token count gemini 3.5 flash text", "Generate content %s token count gemini 3.5 flash image",
	"Generate content %s token count gemini 3.5 flash audio", "Generate content %s token count gemini 3.5 flash video", "Generate_content text %s token count for Gemini 3.5 Flash Flex Caching",
	"BatchGenerate content %s token count Gemini 2.5 Pro short input text", "BidiGenerateContent text %s token count for Gemini 2.5 Flash", "BidiGenerateContent text %s token count for Gemini 2.5 Flash 001",
	"Cloud TTS API text %s token count for Gemini 2.5 Pro", "Generate content %s token count gemini robotics er 2 preview text", "Gemini ER1.6 Text %s - Online Predictions",
	"Generate content cached content %s gemini 2.5 flash storage by hour", "Generate content search query %s gemini 3.7 flash paid one", "Generate content maps grounding %s gemini 2.0 flash",
	"Generate content %s token count gemini 3.8 flash lite tts text", "Generate content %s token count gemini omni flash text", "Generate content %s token count gemini 3.8 flash text turbo",
}

// inputAndOutput returns two SKUs in a style, one per direction.
func inputAndOutput(name, style string, input, output int) []string {
	return []string{skuOf(name+"-IN", fmt.Sprintf(style, "input"), input), skuOf(name+"-OUT", fmt.Sprintf(style, "output"), output)}
}

func sampleSKUs() []string {
	var skus []string
	for i, style := range unrelatedSKUs {
		skus = append(skus, inputAndOutput(fmt.Sprint("DECOY-", i), style, 777_000+i, 888_000+i)...)
	}
	for _, m := range samples {
		skus = append(skus, skuOf(m.model+" free", fmt.Sprintf(m.style, "input")+" free", 0), skuOf(m.model+" zero", fmt.Sprintf(m.style, "output"), 0))
		skus = append(skus, inputAndOutput(m.model, m.style, int(m.input*1000), int(m.output*1000))...)
	}
	return skus
}

func TestSamplePrices(t *testing.T) {
	t.Parallel()
	s := skuServer(sampleSKUs()...)
	c := s.inProcess()
	for _, m := range samples {
		dashed := strings.ReplaceAll(m.model, " ", "-")
		for _, hint := range []string{
			m.model, dashed, "gemini-" + dashed, "Gemini " + strings.ToUpper(m.model), "GEMINI_" + strings.ReplaceAll(m.model, " ", "_"),
			" models/gemini-" + dashed + " ", "google/gemini-" + dashed, strings.ReplaceAll(m.model, " ", ""),
		} {
			if strings.HasPrefix(m.model, "3.1") && hint == strings.ReplaceAll(m.model, " ", "") {
				continue // the SKU's model is a preview
			}
			assert.InDelta(t, m.input, priceWith(t, c, hint, discovery.Input, 0), 0.001, hint)
			assert.InDelta(t, m.output, priceWith(t, c, hint, "", 0), 0.001, "%s: output is the default", hint)
		}
	}
	assert.Empty(t, s.reasons())
}

// A model without a standard text SKU has no price, even if its other prices or similar
// models are listed.
func TestSimilarModelsAndOtherPricesDoNotMatch(t *testing.T) {
	t.Parallel()
	for i := range samples {
		var others []string
		for j, m := range samples {
			if j != i {
				others = append(others, inputAndOutput(m.model, m.style, 111_000, 222_000)...)
			}
		}
		for j, style := range unrelatedSKUs {
			others = append(others, inputAndOutput(fmt.Sprint("DECOY-", j), style, 777_000, 888_000)...)
		}
		s := skuServer(others...)
		for _, d := range []discovery.Direction{discovery.Input, discovery.Output} {
			assert.InDelta(t, -1, priceOf(t, s, "gemini-"+strings.ReplaceAll(samples[i].model, " ", "-"), d, 0), 0, samples[i].model)
		}
	}
}

// The recorded list is part of the real one. Models missing from it have no price.
func TestRecordedPrices(t *testing.T) {
	t.Parallel()
	s, unpriced := recordedServer(t), 0
	for _, row := range []struct {
		hint          string
		tokens        int64
		input, output float64
	}{
		{"3.7 flash", 0, 0.75, -1},
		{"2.5 pro", 0, 1.25, -1},
		{"2.5 pro", 199_999, 1.25, -1},
		{"2.5 pro", 200_000, -1, -1}, // the SKU is for short prompts
		{"3.1 flash lite", 0, 0.25, 1.50},
		{"3.1-flash-lite-preview", 128_000, 0.25, 1.50},
		{"2.5 flash", 0, -1, -1}, // only long prompts are recorded
		{"2.5 flash", 200_000, 0.30, 2.50},
		{"robotics er 2", 0, -1, 10},
		{"robotics er 1.5", 0, -1, 2.50},
		{"ER 1.6", 0, 1, -1},
		{"1.5 flash 8b", 0, -1, 0.15},
		{"1.5 flash 8b", 127_999, -1, 0.15},
		{"1.5 flash 8b", 128_000, -1, -1},
		{"2.0 flash", 0, -1, -1},
		{"3.5 flash", 0, -1, -1},
		{"3 pro", 0, -1, -1},
		{"imagen 4", 0, -1, -1},
		{"9 flash", 0, -1, -1},
	} {
		assert.InDelta(t, row.input, priceOf(t, s, row.hint, discovery.Input, row.tokens), 1e-9, "%v", row)
		assert.InDelta(t, row.output, priceOf(t, s, row.hint, discovery.Output, row.tokens), 1e-9, "%v", row)
		for _, price := range []float64{row.input, row.output} {
			if price < 0 {
				unpriced++
			}
		}
		assert.Len(t, s.failures, unpriced, "%v: every nil price has a failure", row)
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	const up, over = "GenerateContent %s token count for Gemini 1.5 Pro when input is up to 128k tokens", "GenerateContent %s token count for Gemini 1.5 Pro when input is greater than 128k tokens"
	s := skuServer(append(append(inputAndOutput("A", up, 1250, 5000), inputAndOutput("B", over, 2500, 10_000)...),
		append(inputAndOutput("C", "Generate content %s token count gemini 3 pro short text", 2000, 12_000), inputAndOutput("D", "Generate content %s token count gemini 3 pro long text", 4000, 18_000)...)...)...)
	for _, row := range []struct {
		hint   string
		tokens int64
		output float64
	}{
		{"1.5 pro", 0, 5}, {"1.5 pro", 127_999, 5}, {"1.5 pro", 128_000, 10}, {"1.5 pro", 1_000_000, 10},
		{"3 pro", 0, 12}, {"3 pro", 128_000, 12}, {"3 pro", 199_999, 12}, {"3 pro", 200_000, 18},
	} {
		assert.Equal(t, row.output, priceOf(t, s, row.hint, discovery.Output, row.tokens), "%v", row)
	}
}

// For all tiers and prompt lengths, PriceAt's row sets the price, unless its description
// limits it to shorter prompts.
func TestTierIsThatOfPriceAt(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(12, 8))
	limits := map[string]int64{" short text": 200_000, " when input is up to 128k tokens": 128_000}
	styles := []string{" text", " short text", " long text", " when input is up to 128k tokens", " when input is greater than 128k tokens"}
	for range whole.Cases(300, 30) {
		var skus []string
		for _, i := range random.Perm(len(styles))[:1+random.IntN(3)] {
			skus = append(skus, skuOf(fmt.Sprint(i), "Generate content input token count gemini 9 pro"+styles[i], 1000*(i+1)))
		}
		c := skuServer(skus...).inProcess()
		rows, err := c.FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		for _, tokens := range []int64{0, 1, 127_999, 128_000, 128_001, 199_999, 200_000, 200_001, 1_000_000, random.Int64N(400_000)} {
			want := -1.0
			row, ok := discovery.PriceAt(rows, tokens)
			others := slices.ContainsFunc(rows, func(r discovery.ProviderPricing) bool {
				return ok && r.TierThresholdTokens == row.TierThresholdTokens && r.SKUID != row.SKUID
			})
			if others {
				continue // two prices for one length: TestDuplicateSKUs
			}
			if ok {
				_, tail, _ := strings.Cut(row.SKUDescription, "9 pro")
				if limit := limits[tail]; limit == 0 || tokens < limit {
					want = *row.InputPerMTok
				}
			}
			require.Equal(t, want, priceWith(t, c, "9 pro", discovery.Input, tokens), "%d tokens of %q", tokens, skus)
		}
	}
}

// An unreadable price isn't replaced with another tier's or another SKU's.
func TestUnreadablePriceIsNil(t *testing.T) {
	t.Parallel()
	const euro = `"USD"`
	long := skuOf("B", "Generate content input token count gemini 3 pro long text", 4000, euro, `"EUR"`)
	s := skuServer(skuOf("A", "Generate content input token count gemini 3 pro short text", 2000), long)
	assert.Equal(t, 2.0, priceOf(t, s, "3 pro", discovery.Input, 0))
	assert.Equal(t, -1.0, priceOf(t, s, "3 pro", discovery.Input, 300_000))

	twice := skuServer(skuOf("A", flashText, 750), skuOf("B", flashText, 750, euro, `"EUR"`))
	assert.Equal(t, -1.0, priceOf(t, twice, "3.7 flash", discovery.Input, 0))
	assert.Contains(t, requireOneFailure(t, s, discovery.ReasonPartial).Error(), "cannot interpret the price of SKU B")
	assert.Contains(t, requireOneFailure(t, twice, discovery.ReasonPartial).Error(), "cannot interpret the price of SKU B")
}

// If a SKU's prompt length isn't understood, it may be the right one for this prompt, so
// there's no price.
func TestUnknownTierMakesThePriceNil(t *testing.T) {
	t.Parallel()
	plain := skuOf("A", flashText, 750)
	for clause, want := range map[string]float64{
		" when prompt exceeds 200k": -1, " greater than ever": -1, " flex when prompt exceeds 200k": 0.75, " when prompt is over 200k": 0.75,
	} {
		s := skuServer(plain, skuOf("B", flashText+clause, 9000))
		for _, tokens := range []int64{0, 199_999} {
			assert.Equal(t, want, priceOf(t, s, "3.7 flash", discovery.Input, tokens), clause)
		}
		assert.Equal(t, want < 0, len(s.failures) > 0, clause)
	}
	for _, other := range []string{strings.Replace(flashText, "input", "output", 1), strings.Replace(flashText, "text", "audio", 1), strings.Replace(flashText, "flash", "pro", 1)} {
		s := skuServer(plain, skuOf("B", other+" when prompt exceeds 200k", 9000))
		assert.Equal(t, 0.75, priceOf(t, s, "3.7 flash", discovery.Input, 300_000), other)
	}
	committed := skuServer(plain, skuOf("B", flashText+" when prompt exceeds 200k", 9000, `"OnDemand"`, `"Commit1Yr"`))
	assert.Equal(t, 0.75, priceOf(t, committed, "3.7 flash", discovery.Input, 300_000))
}

// longSKUs limit a price to long prompts in unknown ways: by words instead of "text", or
// after a model that follows its modality.
var longSKUs = []string{
	">200k", "> 200k", "≥200k", "200k+", "200,000+", "[>200k]", "(prompts > 200k tokens)", "prompt over 200k", "long context", "context over 200k",
	"with prompts longer than 200k", "for inputs over 200k", "tier 2", "– 200k to 1M",
	"1,000,000+", "for requests over 200k tokens",
}

// If the words for the prompt length aren't understood, the price for short prompts must
// not apply to all prompts, whatever their place and style.
func TestUnknownPromptLengthAffectsItsModelOnly(t *testing.T) {
	t.Parallel()
	styles := map[string][]string{
		"Generate content input token count gemini 4 pro text":    {"Generate content input token count gemini 4 pro text %s", "Generate content input token count gemini 4 pro %s text"},
		"GenerateContent text input token count for Gemini 4 Pro": {"GenerateContent text input token count for Gemini 4 Pro %s"},
		"Gemini 4 Pro Text Input - Predictions":                   {"Gemini 4 Pro Text Input %s - Predictions", "Gemini 4 Pro %s Text Input - Predictions"},
	}
	for plain, others := range styles {
		for _, style := range others {
			for _, long := range longSKUs {
				blocked(t, plain, fmt.Sprintf(style, long))
			}
		}
		for _, other := range []string{
			"Generate content long input token count gemini 4 pro text", "Generate content input token count (prompts over 200k) gemini 4 pro text",
			"Long context text input token count for Gemini 4 Pro", "Generate content input token count gemini 4 pro text surcharge",
			"Generate content long input token count gemini 4 pro text > 200k",
		} {
			blocked(t, plain, other)
		}
	}
}

func blocked(t *testing.T, plain, long string) {
	t.Helper()
	s := skuServer(skuOf("A", plain, 1250), skuOf("LONG", long, 2500), skuOf("C", strings.Replace(plain, "ro", "ro lite", 1), 700))
	for i, tokens := range []int64{0, 300_000} {
		assert.Equal(t, -1.0, priceOf(t, s, "gemini-4-pro", discovery.Input, tokens), long)
		if assert.Len(t, s.failures, i+1, long) {
			assert.Equal(t, discovery.ReasonPartial, s.failures[i].Reason)
			assert.Contains(t, s.failures[i].Error(), "SKU LONG may apply to this prompt length")
		}
	}
	assert.Equal(t, 0.7, priceOf(t, s, "gemini-4-pro-lite", discovery.Input, 300_000), long)
}

// Unknown words that don't concern the prompt length don't change the list price.
func TestOtherKindsOfPricesAreIgnored(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{" paid tier", " paid two", " by commitment", " committed", " provisioned throughput", " batch > 200k", " > 200k flex", " context caching", " long paid two", " short by commitment"} {
		s := skuServer(skuOf("A", flashText, 750), skuOf("B", flashText+suffix, 9000))
		for _, tokens := range []int64{0, 300_000} {
			assert.Equal(t, 0.75, priceOf(t, s, "3.7 flash", discovery.Input, tokens), suffix)
		}
		assert.Empty(t, s.reasons(), suffix)
	}
	paid := skuServer(skuOf("A", flashText, 750), skuOf("B", flashText+" paid tier > 200k", 9000))
	assert.Equal(t, -1.0, priceOf(t, paid, "3.7 flash", discovery.Input, 300_000))
	assert.Equal(t, []string{"gemini partial"}, paid.reasons())
}

func TestDuplicateSKUs(t *testing.T) {
	t.Parallel()
	again := strings.ReplaceAll(flashText, " ", "_")
	agree := skuServer(skuOf("A", flashText, 750), skuOf("B", again, 750), skuOf("C", flashText+" free", 0), skuOf("D", flashText, 0))
	assert.Equal(t, 0.75, priceOf(t, agree, "3.7 flash", discovery.Input, 0))
	assert.Empty(t, agree.reasons())

	differ := skuServer(skuOf("A", flashText, 750), skuOf("B", again, 751))
	assert.Equal(t, -1.0, priceOf(t, differ, "3.7 flash", discovery.Input, 0))
	require.Equal(t, []string{"gemini partial"}, differ.reasons())
	assert.Contains(t, differ.failures[0].Error(), "the SKUs A and B have different prices")
}

func TestFreeSKUIsNotAPrice(t *testing.T) {
	t.Parallel()
	for _, description := range []string{flashText + " free", flashText} {
		s := skuServer(skuOf("A", description, 0))
		assert.Equal(t, -1.0, priceOf(t, s, "3.7 flash", discovery.Input, 0))
		r := rowOf(t, skuOf("A", description, 0))
		assert.Equal(t, "gemini 3.7 flash,text,free,0,0,", summary(r), "it is listed with its mode")
	}
}
