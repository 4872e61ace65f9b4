package discovery_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// summary returns a row's fields on one line.
func summary(r discovery.ProviderPricing) string {
	show := func(p *float64) string {
		if p == nil {
			return ""
		}
		return fmt.Sprint(*p)
	}
	return fmt.Sprintf("%s,%s,%s,%d,%s,%s", r.ModelHint, r.Modality, r.Mode, r.TierThresholdTokens, show(r.InputPerMTok), show(r.OutputPerMTok))
}

// testdata/gemini_prices.csv was checked by hand, row by row, against the recorded SKUs.
func TestRecordedSKUs(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/gemini_prices.csv")
	require.NoError(t, err)
	defer file.Close()
	want, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	rows, err := recordedServer(t).inProcess().FetchGeminiPricing(t.Context(), withKey)
	require.NoError(t, err)
	require.Len(t, rows, len(want)-1)
	for i, r := range rows {
		assert.Equal(t, strings.Join(want[i+1][:7], ","), r.SKUID+","+summary(r), r.SKUDescription)
		assert.Equal(t, want[i+1][7], r.SKUDescription)
	}
}

// Each row maps a description to model, modality, mode, threshold, input price and output
// price, for 1,000 nanos.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		// recorded styles
		"Generate content input token count gemini 3.7 flash text":                   "gemini 3.7 flash,text,standard,0,1,",
		"Generate content input token count gemini 3.5 flash lite text priority":     "gemini 3.5 flash lite,text,priority,0,1,",
		"Generate content input token count gemini 3.5 flash lite text batch":        "gemini 3.5 flash lite,text,batch,0,1,",
		"Generate content input token count gemini 3.5 flash lite text flex caching": "gemini 3.5 flash lite,text,flex-cached,0,1,",
		"Generate content cached input token count gemini 3.7 flash video":           "gemini 3.7 flash,video,cached,0,1,",
		"Generate_content_cached_input_token_count_gemini_3_pro_short_image":         "gemini 3 pro,image,cached,0,1,",
		"GenerateContent text output token count for Gemini 2.0 Flash":               "gemini 2.0 flash,text,standard,0,,1",
		"BatchGenerate content input token count Gemini 2.5 Pro long input text":     "gemini 2.5 pro,text,batch,200000,1,",
		"BidiGenerateContent text input token count for Gemini 2.5 Flash 001":        "gemini 2.5 flash 001,text,live,0,1,",
		"Bidi_generate_content text input token count for gemini-3.8-live":           "gemini 3.8 live,text,live,0,1,",
		"Gemini 3.1 Flash Image Text Input - Predictions":                            "gemini 3.1 flash image,text,standard,0,1,",
		"Gemini 3.1 Flash Image Image Output - Batch Predictions":                    "gemini 3.1 flash image,image,batch,0,,1",
		"Gemini Pro Input Tokens": "gemini pro,text,standard,0,1,",
		"GenerateContent output token count for Gemini 1.5 Pro when input is up to 128k tokens":        "gemini 1.5 pro,text,standard,0,,1",
		"GenerateContent output token count for Gemini 1.5 Pro when input is greater than 128k tokens": "gemini 1.5 pro,text,standard,128000,,1",
		"GenerateContent cached input token count for Gemini 1.5 Pro when input is up to 128k tokens":  "gemini 1.5 pro,text,cached,0,1,",
		"GenerateContent input token count for Gemini 1.5 Pro over 128k tokens":                        "gemini 1.5 pro,text,standard,128000,1,",
		"Generate_content input token count gemini 9 pro text when prompt is greater than 200k":        "gemini 9 pro,text,standard,200000,1,",
		"EmbedContent input token count for gemini-embedding-001":                                      "gemini embedding 001,text,standard,0,1,",

		// an output SKU that mentions the input
		"Generate content output token count gemini 2.5 flash short input text":              "gemini 2.5 flash,text,standard,0,,1",
		"Generate content output token count gemini 2.5 flash long output text non-thinking": "gemini 2.5 flash,text,standard,200000,,1",
		"Generate content output token count gemini 2.5 flash short output text thinking":    "gemini 2.5 flash,text,standard,0,,1",
		"Generate content output token count gemini 2.0 flash thinking":                      "gemini 2.0 flash thinking,text,standard,0,,1",

		// a word that is part of the model, and one that isn't
		"Generate_content text input token count for Gemini 3 Pro Image":              "gemini 3 pro image,text,standard,0,1,",
		"Generate_content image output token count for Gemini 3 Pro Image":            "gemini 3 pro image,image,standard,0,,1",
		"Generate content input token count gemini 3 pro image text":                  "gemini 3 pro image,text,standard,0,1,",
		"Generate content input token count gemini 2.5 flash native image generation": "gemini 2.5 flash native image generation,,standard,0,1,",
		"Generate content output token count gemini 2.5 flash native audio":           "gemini 2.5 flash native audio,,standard,0,,1",
		"Generate content output token count gemini 2.5 flash preview tts audio":      "gemini 2.5 flash preview tts,audio,standard,0,,1",
		"Generate_content audio input token count for Gemini 3.5 Live Translate":      "gemini 3.5 live translate,audio,live,0,1,",
		"Generate_content text image video input token count for Gemini 9 Flash":      "gemini 9 flash,,standard,0,1,",
		"Generate_content text text input token count for Gemini 9 Flash":             "gemini 9 flash,text,standard,0,1,",
		"  GENERATE__CONTENT   INPUT token count\tGemini 3.7 Flash Text  ":            "gemini 3.7 flash,text,standard,0,1,",
		"Generate content input token count gemini 3.7 flash text free":               "gemini 3.7 flash,text,free,0,1,",
		"Generate content input token count gemini 3.7 flash turbo text":              "gemini 3.7 flash turbo,text,standard,0,1,", // may be another model
		"BatchGenerate_content cached text input token count for gemini 3 pro short":  "gemini 3 pro,text,batch-cached,0,1,",

		// not understood, so without a price
		"Cloud TTS API text input token count for Gemini 2.5 Pro":                             "gemini 2.5 pro,text,unknown,0,,",
		"Discounted generate content text input token count for Gemini 3 Pro":                 "gemini 3 pro,text,unknown,0,,",
		"GenerateContent input token count for Gemini 1.5 Pro when input is huge":             "gemini 1.5 pro,text,unknown,0,,",
		"GenerateContent input token count for Gemini 1.5 Pro when input is up to 0k tokens":  "gemini 1.5 pro,text,unknown,0,,",
		"Generate content input token count gemini 3 pro short long text":                     "gemini 3 pro,text,unknown,0,,",
		"Generate content input token count gemini 3 pro short text when input is up to 128k": "gemini 3 pro,text,unknown,0,,",
		"Generate content input token count gemini 3 pro text paid two":                       "gemini 3 pro,text,unknown,0,,",

		"Generate content input token count gemini 3 pro text greater than ever": "gemini 3 pro,text,unknown,0,,",

		// an unknown word after the model
		"Generate content input token count gemini 3.7 flash text turbo":    "gemini 3.7 flash,text,unknown,0,,",
		"Generate content input token count gemini 3 pro long context text": "gemini 3 pro,text,unknown,0,,",
		"Gemini 2.5 Flash Text Input - Provisioned Throughput Predictions":  "gemini 2.5 flash,text,unknown,0,,",
		"Generate content input token count gemini 3 flash input surcharge": "gemini 3 flash,text,unknown,0,,",

		// an unknown form for the prompt length
		"Generate content input token count gemini 4 pro text 200k+":            "gemini 4 pro,text,unknown,0,,",
		"GenerateContent text input token count for Gemini 4 Pro (> 200k)":      "gemini 4 pro,text,unknown,0,,",
		"Gemini 4 Pro Long Context Text Input - Predictions":                    "gemini 4 pro,text,unknown,0,,",
		"Gemini 4 Pro > 200k Image Output - Predictions":                        "gemini 4 pro,image,unknown,0,,",
		"Generate content long input token count gemini 4 pro text":             "gemini 4 pro,text,unknown,0,,",
		"Generate content input token count gemini 4 pro image text over 200k+": "gemini 4 pro image,text,unknown,0,,",

		// not priced by token
		"Generate content cached content gemini 2.5 flash storage by hour":                                            "gemini 2.5 flash,,storage,0,,",
		"Generate_content cached text storage token hours for gemini 3 flash":                                         "gemini 3 flash,,storage,0,,",
		"Generate content cached input token count gemini 3 flash text Storage":                                       "gemini 3 flash,,storage,0,,",
		"Number of text tokens of cached content for Gemini 2.0 Flash over a period of time expressed in token hours": "gemini 2.0 flash,,storage,0,,",
		"Generate content search query gemini 3 paid one":                                                             "gemini 3,,grounding,0,,",
		"Generate content maps grounding gemini 2.0 flash free":                                                       "gemini 2.0 flash,,grounding,0,,",
		"Grounding with Google Search on Gemini 3 input tokens":                                                       "gemini 3,,grounding,0,,",
		" Imagen 4 Generation (output)":                                                                               ",,other,0,,",
		"Imagen 4 output token count for Gemini":                                                                      ",,other,0,,",
		"Veo Generation 720p with Audio":                                                                              ",,other,0,,",
		"Number of videos generated":                                                                                  ",,other,0,,",
		"Lyria 3 Audio Ouptut - Predictions":                                                                          ",,other,0,,",
		"Gemini 1.5 Pro Text Input characters - Predictions":                                                          "gemini 1.5 pro text input characters,,other,0,,",
		"Gemini 2.5 Flash Image Generation (output)":                                                                  "gemini 2.5 flash image generation,,other,0,,",
		"Generate content count gemini 3 pro tokens":                                                                  "gemini 3 pro,,other,0,,",
		"Gemini 3 Pro usage when input tokens are up to 128k":                                                         "gemini 3 pro usage,,other,0,,",
		"Generate content cached input token hours gemini 3 flash text":                                               "gemini 3 flash,,storage,0,,",
		"Number of input tokens of cached content for Gemini 9 Flash over a period of time":                           "gemini 9 flash,,storage,0,,",
		"Generate content input token count gemma 4 text":                                                             ",,other,0,,",
		"Agent Platform Compute":                                                                                      ",,other,0,,",
		"":                                                                                                            ",,other,0,,",
		"gemini":                                                                                                      ",,other,0,,",
	} {
		r := rowOf(t, skuOf("A", description, 1000))
		assert.Equal(t, want, summary(r), description)
		assert.Equal(t, description, r.SKUDescription)
	}
}

// Amounts follow from the unit's definition.
func TestAmounts(t *testing.T) {
	t.Parallel()
	const unit, price = `"baseUnitConversionFactor":1`, `"units":"0","nanos":1000`
	for name, row := range map[string]struct {
		replace []string
		want    float64 // -1 means no price
	}{
		"plain":                       {nil, 1},
		"display is for display":      {[]string{`"displayQuantity":1000000`, `"displayQuantity":7`}, 1},
		"no display":                  {[]string{`"displayQuantity":1000000,`, ``}, 1},
		"units":                       {[]string{price, `"units":"2","nanos":500000000`}, 2_500_000},
		"a number for units":          {[]string{price, `"units":0,"nanos":"1250"`}, 1.25},
		"no units":                    {[]string{price, `"nanos":12000`}, 12},
		"no nanos":                    {[]string{price, `"units":"1"`}, 1_000_000},
		"null units":                  {[]string{price, `"units":null,"nanos":37`}, 0.037},
		"neither":                     {[]string{price, `"x":1`}, -1},
		"large":                       {[]string{price, `"units":"9007199254740993","nanos":0`}, 9007199254740993e6},
		"beyond":                      {[]string{price, `"units":"9223372036854775808","nanos":0`}, -1},
		"negative":                    {[]string{price, `"units":"-1","nanos":0`}, -1},
		"negative nanos":              {[]string{price, `"units":"0","nanos":-1000`}, -1},
		"nanos overflow":              {[]string{price, `"units":"0","nanos":1000000000`}, -1},
		"a fraction of a nano":        {[]string{price, `"units":"0","nanos":37.5`}, -1},
		"no number":                   {[]string{price, `"units":"n/a","nanos":0`}, -1},
		"empty units":                 {[]string{price, `"units":"","nanos":5`}, -1},
		"no price":                    {[]string{`"unitPrice":{"currencyCode":"USD","units":"0","nanos":1000}`, `"x":1`}, -1},
		"null price":                  {[]string{`{"currencyCode":"USD","units":"0","nanos":1000}`, `null`}, -1},
		"euro":                        {[]string{`"USD"`, `"EUR"`}, -1},
		"no currency":                 {[]string{`"currencyCode":"USD",`, ``}, -1},
		"usage in hours":              {[]string{`"usageUnit":"count"`, `"usageUnit":"h"`, `"baseUnit":"count"`, `"baseUnit":"s"`, unit, `"baseUnitConversionFactor":3600`}, -1},
		"usage unit alone":            {[]string{`"usageUnit":"count"`, `"usageUnit":"1MCT"`}, -1},
		"base unit alone":             {[]string{`"baseUnit":"count"`, `"baseUnit":"s"`}, -1},
		"no unit":                     {[]string{`"usageUnit":"count",`, ``}, -1},
		"factor":                      {[]string{unit, `"baseUnitConversionFactor":1000`}, 0.001},
		"factor as text":              {[]string{unit, `"baseUnitConversionFactor":"1000.0"`}, 0.001},
		"factor with exponent":        {[]string{unit, `"baseUnitConversionFactor":1E+3`}, 0.001},
		"no factor":                   {[]string{`,` + unit, ``}, -1},
		"null factor":                 {[]string{unit, `"baseUnitConversionFactor":null`}, -1},
		"factor 0":                    {[]string{unit, `"baseUnitConversionFactor":0`}, -1},
		"factor 0 in disguise":        {[]string{unit, `"baseUnitConversionFactor":0e-999999999`}, -1},
		"negative factor":             {[]string{unit, `"baseUnitConversionFactor":-1`}, -1},
		"factor NaN":                  {[]string{unit, `"baseUnitConversionFactor":"NaN"`}, -1},
		"factor Infinity":             {[]string{unit, `"baseUnitConversionFactor":"Infinity"`}, -1},
		"factor that explodes":        {[]string{unit, `"baseUnitConversionFactor":1e999999999`}, -1},
		"factor without end":          {[]string{unit, `"baseUnitConversionFactor":1` + strings.Repeat("0", 50)}, -1},
		"factor with too many digits": {[]string{unit, `"baseUnitConversionFactor":1.` + strings.Repeat("0", 50)}, -1},
		"start 0 in disguise":         {[]string{`"startUsageAmount":0`, `"startUsageAmount":0e-999999999`}, 1},
		"factor in hex":               {[]string{unit, `"baseUnitConversionFactor":"0x1p-2"`}, -1},
		"no rates":                    {[]string{rateOf(0, 1000), ``}, -1},
		"rates that agree":            {[]string{rateOf(0, 1000), rateOf(0, 1000) + `,` + rateOf(500, 1000)}, 1},
		"rates that differ":           {[]string{rateOf(0, 1000), rateOf(0, 1000) + `,` + rateOf(500, 900)}, -1},
		"free, then paid":             {[]string{rateOf(0, 1000), rateOf(0, 0) + `,` + rateOf(500, 1000)}, -1},
		"not from the first on":       {[]string{rateOf(0, 1000), rateOf(500, 1000)}, -1},
		"start not understood":        {[]string{`"startUsageAmount":0`, `"startUsageAmount":"x"`}, -1},
		"no start":                    {[]string{`"startUsageAmount":0,`, ``}, 1},
		"one bad rate of two":         {[]string{rateOf(0, 1000), rateOf(0, 1000) + `,{"startUsageAmount":9}`}, -1},
		"no category":                 {[]string{`"usageType":"OnDemand"`, `"x":1`}, 1},
		"committed":                   {[]string{`"OnDemand"`, `"Commit1Yr"`}, -1},
		"preemptible":                 {[]string{`"OnDemand"`, `"Preemptible"`}, -1},
		"effective time missing":      {[]string{`,` + "\n\t\t" + `"effectiveTime":"2026-08-13T07:00:00Z"`, ``}, 1},
		"effective time no time":      {[]string{`"2026-08-13T07:00:00Z"`, `"soon"`}, -1},
		"not yet in force":            {[]string{`2026-08-13`, `2999-01-01`}, -1},
		"no expression":               {[]string{`"pricingExpression"`, `"x"`}, -1},
	} {
		r := rowOf(t, skuOf("A", flashText, 1000, row.replace...))
		assert.Nil(t, r.OutputPerMTok, name)
		if row.want < 0 {
			assert.Nil(t, r.InputPerMTok, name)
			continue
		}
		if assert.NotNil(t, r.InputPerMTok, name) {
			assert.Equal(t, row.want, *r.InputPerMTok, name)
		}
	}
}

func rateOf(start, nanos int) string {
	return fmt.Sprintf(`{"startUsageAmount":%d,"unitPrice":{"currencyCode":"USD","units":"0","nanos":%d}}`, start, nanos)
}

// entryOf returns one entry in a price's history.
func entryOf(since string, nanos int) string {
	return fmt.Sprintf(`{"pricingExpression":{"usageUnit":"count","baseUnit":"count","baseUnitConversionFactor":1,"tieredRates":[%s]},"effectiveTime":%q}`, rateOf(0, nanos), since)
}

func TestPriceInForce(t *testing.T) {
	t.Parallel()
	const long, lately, ever = "2020-01-01T00:00:00Z", "2026-01-01T00:00:00.123456Z", "2999-01-01T00:00:00Z"
	for name, row := range map[string]struct {
		history []string
		want    float64
	}{
		"one":                        {[]string{entryOf(long, 1000)}, 1},
		"the latest":                 {[]string{entryOf(long, 1000), entryOf(lately, 2000)}, 2},
		"the latest, out of order":   {[]string{entryOf(lately, 2000), entryOf(long, 1000)}, 2},
		"not the future":             {[]string{entryOf(long, 1000), entryOf(lately, 2000), entryOf(ever, 3000)}, 2},
		"nothing yet":                {[]string{entryOf(ever, 1000)}, -1},
		"of two at once the later":   {[]string{entryOf(lately, 1000), entryOf(lately, 2000)}, 2},
		"another zone":               {[]string{entryOf("2026-01-01T00:00:00+09:00", 1000), entryOf("2025-12-31T16:00:00Z", 2000)}, 2},
		"one of two without a time":  {[]string{entryOf(long, 1000), entryOf("", 2000)}, -1},
		"one of two not understood":  {[]string{entryOf(long, 1000), entryOf("last May", 2000)}, -1},
		"a lone one without a time":  {[]string{entryOf("", 1000)}, 1},
		"a lone one not understood":  {[]string{entryOf("last May", 1000)}, -1},
		"none":                       {nil, -1},
		"the latest is not readable": {[]string{entryOf(long, 1000), `{"effectiveTime":"` + lately + `"}`}, -1},
	} {
		s := skuServer(fmt.Sprintf(`{"skuId":"A","description":%q,"pricingInfo":[%s]}`, flashText, strings.Join(row.history, ",")))
		assert.Equal(t, row.want, priceOf(t, s, "3.7 flash", discovery.Input, 0), name)
	}
	bare := rowOf(t, `{"skuId":"A"}`)
	assert.Equal(t, discovery.ProviderPricing{
		Provider: models.Gemini, SKUID: "A", Source: "cloudbilling", VerifiedAt: bare.VerifiedAt, Mode: "other",
	}, bare, "omitted values are unknown")
}
