package usage

import "math/bits"

// field is a count in some provider's usage object.
type field uint8

const (
	promptTokens field = iota
	completionTokens
	inputTokens
	outputTokens
	totalTokens
	cachedInput
	cacheHit
	cacheMiss
	costTicks
	sourcesUsed
	toolsUsed
	cacheCreation
	cacheRead
	ephemeral5m
	ephemeral1h

	promptCount
	cachedCount
	candidatesCount
	responseCount
	thoughtsCount
	toolCount
	totalCount
	totalInput
	totalCached
	totalOutput
	totalThought
	totalTool
	promptAudio
	promptImage
	promptVideo
	cacheAudio
	cacheImage
	cacheVideo
	toolAudio
	toolImage
	toolVideo
	answerAudio
	answerImage

	converseInput
	converseOutput
	converseTotal
	converseRead
	converseWrite
	converse5m
	converse1h
	billedInput
	billedOutput
	promptEval
	answerEval

	// Details. Those before reasoningTokens change the price.
	cachedTokens
	cachedAudio
	cachedImage
	cacheWriteTokens
	write30m
	write12h
	inputAudio
	inputImage
	outputAudio
	outputImage
	reasoningTokens
	rejectedTokens
	thinkingTokens
	textTokens
	outputText
	fields
)

type fieldSet uint64

func setOf(all ...field) (s fieldSet) {
	for _, f := range all {
		s |= 1 << f
	}
	return s
}

// first needs a set that isn't empty.
func (s fieldSet) first() field { return field(bits.TrailingZeros64(uint64(s))) } //nolint:gosec // less than 64

// totals are sums of other counts.
var totals = setOf(totalTokens, totalCount, converseTotal)

// harmless reports whether an unexpected field may be ignored: it's a detail that doesn't
// change the price, or is 0.
func (c *counts) harmless(f field) bool {
	return f >= reasoningTokens || f >= cachedTokens && c.value[f] == 0
}

// names are shown in errors.
var names = [fields]string{ //nolint:gosec // names of token counts, not credentials
	promptTokens: "prompt_tokens", completionTokens: "completion_tokens", inputTokens: "input_tokens", outputTokens: "output_tokens",
	totalTokens: "total_tokens", cachedInput: "cached_input_tokens", cacheHit: "prompt_cache_hit_tokens", cacheMiss: "prompt_cache_miss_tokens",
	costTicks: "cost_in_usd_ticks", sourcesUsed: "num_sources_used", toolsUsed: "num_server_side_tools_used",
	cacheCreation: "cache_creation_input_tokens", cacheRead: "cache_read_input_tokens", ephemeral5m: "ephemeral_5m_input_tokens",
	ephemeral1h: "ephemeral_1h_input_tokens",
	promptCount: "promptTokenCount", cachedCount: "cachedContentTokenCount", candidatesCount: "candidatesTokenCount",
	responseCount: "responseTokenCount", thoughtsCount: "thoughtsTokenCount", toolCount: "toolUsePromptTokenCount", totalCount: "totalTokenCount",
	totalInput: "total_input_tokens", totalCached: "total_cached_tokens", totalOutput: "total_output_tokens",
	totalThought: "total_thought_tokens", totalTool: "total_tool_use_tokens",
	promptAudio: "promptTokensDetails", promptImage: "promptTokensDetails", promptVideo: "promptTokensDetails",
	cacheAudio: "cacheTokensDetails", cacheImage: "cacheTokensDetails", cacheVideo: "cacheTokensDetails",
	toolAudio: "toolUsePromptTokensDetails", toolImage: "toolUsePromptTokensDetails", toolVideo: "toolUsePromptTokensDetails",
	answerAudio: "candidatesTokensDetails", answerImage: "candidatesTokensDetails",
	converseInput: "inputTokens", converseOutput: "outputTokens", converseTotal: "totalTokens", converseRead: "cacheReadInputTokens",
	converseWrite: "cacheWriteInputTokens", converse5m: "cacheDetails", converse1h: "cacheDetails",
	billedInput: "billed_units.input_tokens", billedOutput: "billed_units.output_tokens", promptEval: "prompt_eval_count", answerEval: "eval_count",
	cachedTokens: "cached_tokens", cachedAudio: "cached_tokens_details", cachedImage: "cached_tokens_details",
	cacheWriteTokens: "cache_write_tokens", write30m: "ttl_30m_tokens", write12h: "ttl_12h_tokens",
	inputAudio: "audio_tokens", inputImage: "image_tokens", outputAudio: "audio_tokens", outputImage: "image_tokens",
	reasoningTokens: "reasoning_tokens", rejectedTokens: "rejected_prediction_tokens", thinkingTokens: "thinking_tokens", textTokens: "text_tokens", outputText: "text_tokens",
}

// parts are details already counted elsewhere at that count's price.
var parts = map[string]bool{"text_tokens": true, "accepted_prediction_tokens": true}

// object has a JSON object's known members by name length. Few share a length, so finding
// one is faster than in a map.
type object struct{ members [][]named }

type named struct {
	name string
	member
}

// member is a count, or an object with more.
type member struct {
	count  field
	object *object
}

// objectOf adds fields by their names.
func objectOf(members map[string]member, fields ...field) *object {
	var o object
	for _, f := range fields {
		members[names[f]] = member{count: f}
	}
	for name, m := range members {
		for len(o.members) <= len(name) {
			o.members = append(o.members, nil)
		}
		o.members[len(name)] = append(o.members[len(name)], named{name, m})
	}
	return &o
}

func (o *object) find(key []byte) (m member, known bool) {
	if len(key) >= len(o.members) {
		return m, false
	}
	for _, n := range o.members[len(key)] {
		if n.name == string(key) {
			return n.member, true
		}
	}
	return m, false
}

var inputDetails = objectOf(map[string]member{
	"cache_write_tokens_details": {object: objectOf(map[string]member{}, write30m, write12h)},
	"cached_tokens_details":      {object: objectOf(map[string]member{"audio_tokens": {count: cachedAudio}, "image_tokens": {count: cachedImage}})},
}, cachedTokens, cacheWriteTokens, inputAudio, inputImage, textTokens)

var outputDetails = objectOf(map[string]member{}, reasoningTokens, rejectedTokens, outputAudio, outputImage, thinkingTokens, outputText)

// top has the fields for all providers, so that an object from the wrong provider is
// recognized.
var top = objectOf(
	map[string]member{
		"cache_write_input_tokens": {count: cacheWriteTokens}, "reasoning_output_tokens": {count: reasoningTokens}, // Codex
		// InvokeModel's metrics and Converse, which names the cache counts in two ways
		"inputTokenCount": {count: converseInput}, "outputTokenCount": {count: converseOutput},
		"cacheReadInputTokenCount": {count: converseRead}, "cacheWriteInputTokenCount": {count: converseWrite},
		// xAI's SDK
		"cached_prompt_text_tokens": {count: cachedTokens}, "prompt_text_tokens": {count: textTokens}, "prompt_image_tokens": {count: inputImage},
		"audio_prompt_tokens": {count: inputAudio},

		"prompt_tokens_details": {object: inputDetails}, "input_tokens_details": {object: inputDetails},
		"completion_tokens_details": {object: outputDetails}, "output_tokens_details": {object: outputDetails},
		"prompt_token_details": {object: inputDetails}, "input_token_details": {object: inputDetails}, // Realtime API and transcriptions
		"completion_token_details": {object: outputDetails}, "output_token_details": {object: outputDetails},
		"billed_units":   {object: objectOf(map[string]member{"input_tokens": {count: billedInput}, "output_tokens": {count: billedOutput}})}, // Cohere
		"cache_creation": {object: objectOf(map[string]member{}, ephemeral5m, ephemeral1h)},
	},
	promptTokens, completionTokens, inputTokens, outputTokens, totalTokens, cachedInput, cacheHit, cacheMiss,
	costTicks, sourcesUsed, toolsUsed, cacheCreation, cacheRead,
	promptCount, cachedCount, candidatesCount, responseCount, thoughtsCount, toolCount, totalCount,
	totalInput, totalCached, totalOutput, totalThought, totalTool,
	converseInput, converseOutput, converseTotal, converseRead, converseWrite,
	promptEval, answerEval, // Ollama
	cachedTokens,    // Together, Moonshot and Cohere
	reasoningTokens, // xAI's SDK
)

// member that changes the price -> its place in the mode
var modeNames = map[string]int{"service_tier": 0, "serviceTier": 0, "trafficType": 1, "speed": 2, "inference_geo": 3}

const modePlaces = 4

// sameMode maps values to their usual names.
var sameMode = map[string]string{"on_demand_flex": "flex", "on_demand_priority": "priority"}

// standard are the values that change nothing.
var standard = map[string]bool{
	"": true, "standard": true, "default": true, "global": true, "not_available": true, "on_demand": true,
	"unspecified": true, "traffic_type_unspecified": true, "service_tier_unspecified": true,
	"traffictype:0": true, "traffictype:1": true, "servicetier:0": true, // numbers of enums
}
