package usage

func openAIShape(c *counts) *shape {
	switch {
	case c.timed:
		return &openAIDuration
	case c.has(promptTokens) && c.has(sourcesUsed):
		return &grokOnAzure
	case c.has(promptTokens):
		return &openAIChat
	case c.has(cachedInput):
		return &openAICodex
	}
	return &openAIResponses
}

// openAIChat is also for embeddings, which have no completion.
var openAIChat = shape{
	required: setOf(promptTokens),
	optional: setOf(completionTokens, rejectedTokens, totalTokens) | openAIDetails,
	counts:   (*counts).openAIChat,
}

// Mistral counts audio next to the prompt and in the total. If the prompt includes audio,
// the total differs.
func (c *counts) openAIChat() (Usage, error) {
	if audio := c.value[inputAudio]; audio > 0 && c.value[totalTokens] == c.value[promptTokens]+audio+c.value[completionTokens] {
		c.value[promptTokens] += audio
	}
	return c.openAI(promptTokens, completionTokens)
}

// openAIResponses is also for images, transcriptions and the Realtime API.
var openAIResponses = shape{
	required: setOf(inputTokens, outputTokens),
	optional: setOf(totalTokens) | openAIDetails,
	counts:   (*counts).openAIResponses,
}

// An image endpoint counts the prompt's text and images. Its answer is images unless it
// has details.
func (c *counts) openAIResponses() (Usage, error) {
	if c.has(textTokens) && c.has(inputImage) && c.seen&setOf(inputAudio, outputText, outputAudio, outputImage, reasoningTokens) == 0 {
		c.value[outputImage] = c.value[outputTokens]
	}
	return c.openAI(inputTokens, outputTokens)
}

// openAIDuration is for a transcription billed by the minute.
var openAIDuration = shape{counts: func(c *counts) (Usage, error) {
	c.addMode(seconds)
	return Usage{}, nil
}}

// openAICodex is written by Codex: the counts without their details.
var openAICodex = shape{
	required: setOf(inputTokens, cachedInput, outputTokens),
	optional: setOf(totalTokens) | openAIDetails,
	counts: func(c *counts) (Usage, error) {
		if c.has(cachedTokens) && c.value[cachedTokens] != c.value[cachedInput] {
			return Usage{}, &Error{names[cachedTokens], "is not " + names[cachedInput]}
		}
		c.value[cachedTokens] = c.value[cachedInput]
		return c.openAI(inputTokens, outputTokens)
	},
}

var openAIDetails = setOf(
	cachedTokens, cacheWriteTokens, write30m, write12h, inputAudio, inputImage, cachedAudio, cachedImage,
	reasoningTokens, outputAudio, outputImage,
)

// The input includes cached, written and audio tokens, the output includes reasoning,
// audio and images, and the total is their sum.
func (c *counts) openAI(in, out field) (Usage, error) {
	c.readAndWritten(in)
	err := firstError(
		c.within(in, cachedTokens, cacheWriteTokens, inputAudio, inputImage), c.within(cachedTokens, cachedAudio, cachedImage),
		c.within(out, reasoningTokens, rejectedTokens, outputAudio, outputImage), c.writesAgree(), c.sum(totalTokens, in, out),
	)
	if !c.has(cachedAudio) && !c.has(cachedImage) {
		c.cachedParts(in)
	}
	u := Usage{
		AudioInput: c.value[inputAudio] - c.value[cachedAudio], AudioCacheRead: c.value[cachedAudio], AudioOutput: c.value[outputAudio],
		ImageInput: c.value[inputImage] - c.value[cachedImage], ImageCacheRead: c.value[cachedImage], ImageOutput: c.value[outputImage],
		CacheRead:    c.value[cachedTokens] - c.value[cachedAudio] - c.value[cachedImage],
		CacheWrite5m: c.value[cacheWriteTokens] - c.value[write12h], CacheWrite1h: c.value[write12h],
	}
	u.Input = c.value[in] - c.value[cachedTokens] - c.value[cacheWriteTokens] - u.AudioInput - u.ImageInput
	u.Output = c.value[out] - u.AudioOutput - u.ImageOutput
	switch {
	case err != nil:
	case u.Input < 0:
		err = &Error{names[cachedTokens], "and other parts are more than " + names[in]}
	case min(u.AudioInput, u.ImageInput, u.CacheRead) < 0:
		err = &Error{"cached_tokens_details", "has more than its counts"}
	case u.Output < 0:
		err = &Error{names[outputAudio], "and other parts are more than " + names[out]}
	}
	return u, err
}

// cachedParts assigns cache reads without details to audio first, then images, then text.
// That is a guess unless they are the whole prompt or all text.
func (c *counts) cachedParts(in field) {
	audio, image, cached := c.value[inputAudio], c.value[inputImage], c.value[cachedTokens]
	c.value[cachedAudio] = min(cached, audio)
	c.value[cachedImage] = min(cached-c.value[cachedAudio], image)
	switch {
	case cached == 0, cached == c.value[in]:
	case audio > 0 && audio < c.value[in]:
		c.addMode(unknownName(names[cachedAudio]))
	case image > 0:
		c.addMode(CachedImages)
	}
}

// readAndWritten counts tokens that were both read from the cache and written to it only
// as reads. OpenRouter reports such tokens for Gemini. It's done only if a charge is
// stated, because the counts needn't be exact then.
func (c *counts) readAndWritten(in field) {
	if c.stated.cost != "" && !c.has(write30m) && !c.has(write12h) && c.value[cacheWriteTokens] <= c.value[in] {
		c.value[cacheWriteTokens] = min(c.value[cacheWriteTokens], max(0, c.value[in]-c.value[cachedTokens]))
	}
}

// writesAgree checks that cache writes for 30 minutes and for 12 hours add up. If neither
// is stated, all are for 30 minutes.
func (c *counts) writesAgree() error {
	if c.has(write30m) || c.has(write12h) {
		return c.exactly(cacheWriteTokens, write30m, write12h)
	}
	return nil
}

// grokOnAzure is xAI's object in Azure's API.
var grokOnAzure = shape{
	required: xaiChat.required,
	optional: xaiChat.optional,
	counts:   (*counts).grokOnAzure,
}

// grokOnAzure counts cached tokens in addition to the prompt. That's certain only if they
// exceed it, so anything else is an error. The charge is ignored, because it's xAI's, not
// Azure's.
func (c *counts) grokOnAzure() (Usage, error) {
	cached := c.value[cachedTokens]
	if cached > 0 && cached <= c.value[promptTokens] {
		return Usage{}, &Error{names[cachedTokens], "may be in " + names[promptTokens] + " or next to it"}
	}
	c.value[cachedTokens], c.value[costTicks] = 0, 0
	u, err := c.xaiChat()
	u.CacheRead, u.ChargedUSD = cached, ""
	return u, err
}

// The chat API counts hits and misses, the responses API has OpenAI's total, and the API
// compatible with Anthropic's messages has neither.
func deepSeekShape(c *counts) *shape {
	switch {
	case c.has(inputTokens) && (c.has(totalTokens) || c.has(cachedTokens) || c.has(reasoningTokens)):
		return &deepSeekResponses
	case c.has(inputTokens):
		return &anthropicMessages
	case c.has(cachedTokens) && !c.has(cacheHit) && !c.has(cacheMiss):
		return &openAIChat // from another server for DeepSeek's models
	}
	return &deepSeekChat
}

var deepSeekChat = shape{
	required: setOf(promptTokens, cacheHit, cacheMiss, completionTokens),
	optional: setOf(totalTokens, cachedTokens, reasoningTokens),
	counts:   (*counts).deepSeekChat,
}

// The prompt is hits and misses, and the completion includes reasoning.
func (c *counts) deepSeekChat() (Usage, error) {
	err := firstError(c.within(completionTokens, reasoningTokens), c.exactly(promptTokens, cacheHit, cacheMiss))
	if err == nil && c.has(cachedTokens) && c.value[cachedTokens] != c.value[cacheHit] {
		err = &Error{names[cachedTokens], "is not " + names[cacheHit]}
	}
	u := Usage{Input: c.value[cacheMiss], CacheRead: c.value[cacheHit], Output: c.value[completionTokens]}
	return u, firstError(err, c.sum(totalTokens, promptTokens, completionTokens))
}

var deepSeekResponses = shape{
	required: setOf(inputTokens, outputTokens),
	optional: setOf(totalTokens, cachedTokens, reasoningTokens),
	counts:   func(c *counts) (Usage, error) { return c.openAI(inputTokens, outputTokens) },
}
