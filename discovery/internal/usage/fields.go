package usage

// field is a count that some provider's usage object has.
type field uint8

const (
	promptTokens field = iota
	completionTokens
	inputTokens
	outputTokens
	totalTokens
	cachedTokens
	cacheWriteTokens
	write30m
	write12h
	inputAudio
	inputImage
	reasoningTokens
	rejectedTokens
	outputAudio
	outputImage
	cacheHit
	cacheMiss
	costTicks
	sourcesUsed

	cacheCreation
	cacheRead
	ephemeral5m
	ephemeral1h
	thinkingTokens

	promptCount
	cachedCount
	candidatesCount
	thoughtsCount
	toolCount
	totalCount

	totalInput
	totalCached
	totalOutput
	totalThought
	totalTool
	fields
)

// names are the fields as an error shows them.
var names = [fields]string{ //nolint:gosec // names of token counts, not credentials
	promptTokens: "prompt_tokens", completionTokens: "completion_tokens", inputTokens: "input_tokens", outputTokens: "output_tokens",
	totalTokens: "total_tokens", cachedTokens: "cached_tokens", cacheWriteTokens: "cache_write_tokens", write30m: "ttl_30m_tokens",
	write12h: "ttl_12h_tokens", inputAudio: "audio_tokens", inputImage: "image_tokens", reasoningTokens: "reasoning_tokens",
	rejectedTokens: "rejected_prediction_tokens", outputAudio: "audio_tokens", outputImage: "image_tokens",
	cacheHit: "prompt_cache_hit_tokens", cacheMiss: "prompt_cache_miss_tokens", costTicks: "cost_in_usd_ticks", sourcesUsed: "num_sources_used",
	cacheCreation: "cache_creation_input_tokens", cacheRead: "cache_read_input_tokens", ephemeral5m: "ephemeral_5m_input_tokens",
	ephemeral1h: "ephemeral_1h_input_tokens", thinkingTokens: "thinking_tokens",
	promptCount: "promptTokenCount", cachedCount: "cachedContentTokenCount", candidatesCount: "candidatesTokenCount",
	thoughtsCount: "thoughtsTokenCount", toolCount: "toolUsePromptTokenCount", totalCount: "totalTokenCount",
	totalInput: "total_input_tokens", totalCached: "total_cached_tokens", totalOutput: "total_output_tokens",
	totalThought: "total_thought_tokens", totalTool: "total_tool_use_tokens",
}

// object describes what is read of a JSON object: its counts, and the objects in it that have more.
type object struct {
	counts  map[string]field
	objects map[string]*object
}

var inputDetails = &object{
	counts: map[string]field{
		"cached_tokens": cachedTokens, "cache_write_tokens": cacheWriteTokens, "audio_tokens": inputAudio, "image_tokens": inputImage,
	},
	objects: map[string]*object{"cache_write_tokens_details": {counts: map[string]field{"ttl_30m_tokens": write30m, "ttl_12h_tokens": write12h}}},
}

var outputDetails = &object{counts: map[string]field{
	"reasoning_tokens": reasoningTokens, "rejected_prediction_tokens": rejectedTokens, "audio_tokens": outputAudio,
	"image_tokens": outputImage, "thinking_tokens": thinkingTokens,
}}

// top is the usage object itself, with the fields of all providers: that is how the object of another one is recognized.
var top = &object{
	counts: map[string]field{
		"prompt_tokens": promptTokens, "completion_tokens": completionTokens, "input_tokens": inputTokens, "output_tokens": outputTokens,
		"total_tokens": totalTokens, "prompt_cache_hit_tokens": cacheHit, "prompt_cache_miss_tokens": cacheMiss,
		"cost_in_usd_ticks": costTicks, "num_sources_used": sourcesUsed,
		"cache_creation_input_tokens": cacheCreation, "cache_read_input_tokens": cacheRead,
		"promptTokenCount": promptCount, "cachedContentTokenCount": cachedCount, "candidatesTokenCount": candidatesCount,
		"thoughtsTokenCount": thoughtsCount, "toolUsePromptTokenCount": toolCount, "totalTokenCount": totalCount,
		"total_input_tokens": totalInput, "total_cached_tokens": totalCached, "total_output_tokens": totalOutput,
		"total_thought_tokens": totalThought, "total_tool_use_tokens": totalTool,
	},
	objects: map[string]*object{
		"prompt_tokens_details": inputDetails, "input_tokens_details": inputDetails,
		"completion_tokens_details": outputDetails, "output_tokens_details": outputDetails,
		"cache_creation": {counts: map[string]field{"ephemeral_5m_input_tokens": ephemeral5m, "ephemeral_1h_input_tokens": ephemeral1h}},
	},
}

// modalities are the lists of Gemini that count by modality.
var modalities = map[string]bool{
	"promptTokensDetails": true, "cacheTokensDetails": true, "candidatesTokensDetails": true, "toolUsePromptTokensDetails": true,
	"input_tokens_by_modality": true, "cached_tokens_by_modality": true, "output_tokens_by_modality": true, "tool_use_tokens_by_modality": true,
}

// modeNames are the fields that change the price of a request.
var modeNames = map[string]bool{"service_tier": true, "serviceTier": true, "speed": true, "inference_geo": true, "trafficType": true}

// standard are the values of those fields that change nothing.
var standard = map[string]bool{
	"": true, "standard": true, "default": true, "global": true, "not_available": true, "on_demand": true,
	"unspecified": true, "traffic_type_unspecified": true,
}
