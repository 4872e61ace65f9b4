package usage

// deepSeekShape: of the three APIs, the chat API has the counts of hits and misses, the responses API has OpenAI's total, and
// the one that is compatible with Anthropic's messages has neither.
func deepSeekShape(c *counts) *shape {
	switch {
	case c.has(inputTokens) && (c.has(totalTokens) || c.has(cachedTokens) || c.has(reasoningTokens)):
		return &deepSeekResponses
	case c.has(inputTokens):
		return &anthropicMessages
	case c.has(cachedTokens) && !c.has(cacheHit) && !c.has(cacheMiss):
		return &openAIChat // of another server of its models
	}
	return &deepSeekChat
}

var deepSeekChat = shape{
	required: []field{promptTokens, cacheHit, cacheMiss, completionTokens},
	optional: []field{totalTokens, cachedTokens, reasoningTokens},
	counts:   (*counts).deepSeekChat,
}

// deepSeekChat: the prompt is hits and misses, and the completion includes reasoning.
func (c *counts) deepSeekChat() (Usage, error) {
	err := first(c.within(completionTokens, reasoningTokens), c.exactly(promptTokens, cacheHit, cacheMiss))
	if err == nil && c.has(cachedTokens) && c.value[cachedTokens] != c.value[cacheHit] {
		err = &Error{names[cachedTokens], "is not " + names[cacheHit]}
	}
	u := Usage{Input: c.value[cacheMiss], CacheRead: c.value[cacheHit], Output: c.value[completionTokens]}
	return u, first(err, c.sum(totalTokens, promptTokens, completionTokens))
}

var deepSeekResponses = shape{
	required: []field{inputTokens, outputTokens},
	optional: []field{totalTokens, cachedTokens, reasoningTokens},
	counts:   func(c *counts) (Usage, error) { return c.openAI(inputTokens, outputTokens) },
}
