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

// openAIChat is also the object of embeddings, which have no completion.
var openAIChat = shape{
	required: []field{promptTokens},
	optional: append([]field{completionTokens, rejectedTokens, totalTokens}, openAIDetails...),
	counts:   (*counts).openAIChat,
}

// openAIChat: Mistral counts audio beside the prompt, and the total has it. An API that counts it in the prompt has another total.
func (c *counts) openAIChat() (Usage, error) {
	if audio := c.value[inputAudio]; audio > 0 && c.value[totalTokens] == c.value[promptTokens]+audio+c.value[completionTokens] {
		c.value[promptTokens] += audio
	}
	return c.openAI(promptTokens, completionTokens)
}

// openAIResponses is also the object of images, transcriptions and the Realtime API.
var openAIResponses = shape{
	required: []field{inputTokens, outputTokens},
	optional: append([]field{totalTokens}, openAIDetails...),
	counts:   func(c *counts) (Usage, error) { return c.openAI(inputTokens, outputTokens) },
}

// openAIDuration is the object of a transcription that is billed by the minute.
var openAIDuration = shape{counts: func(c *counts) (Usage, error) {
	c.addMode(seconds)
	return Usage{}, nil
}}

// openAICodex is the object that Codex writes: the counts of the responses, without their details.
var openAICodex = shape{
	required: []field{inputTokens, cachedInput, outputTokens},
	optional: append([]field{totalTokens}, openAIDetails...),
	counts: func(c *counts) (Usage, error) {
		if c.has(cachedTokens) && c.value[cachedTokens] != c.value[cachedInput] {
			return Usage{}, &Error{names[cachedTokens], "is not " + names[cachedInput]}
		}
		c.value[cachedTokens] = c.value[cachedInput]
		return c.openAI(inputTokens, outputTokens)
	},
}

var openAIDetails = []field{
	cachedTokens, cacheWriteTokens, write30m, write12h, inputAudio, inputImage, sessionImage, cachedAudio, cachedImage,
	reasoningTokens, outputAudio, outputImage,
}

// openAI: the input includes cached, written and audio tokens, the output includes reasoning, audio and images, and the total is
// their sum.
func (c *counts) openAI(in, out field) (Usage, error) {
	c.readAndWritten(in)
	err := first(
		c.within(in, cachedTokens, cacheWriteTokens, inputAudio, inputImage, sessionImage), c.within(cachedTokens, cachedAudio, cachedImage),
		c.within(out, reasoningTokens, rejectedTokens, outputAudio, outputImage), c.writesAgree(), c.sum(totalTokens, in, out),
	)
	if !c.has(cachedAudio) && !c.has(cachedImage) {
		c.cachedParts(in)
	}
	image := c.value[inputImage] + c.value[sessionImage]
	u := Usage{
		AudioInput: c.value[inputAudio] - c.value[cachedAudio], AudioCacheRead: c.value[cachedAudio], AudioOutput: c.value[outputAudio],
		ImageInput: image - c.value[cachedImage], ImageCacheRead: c.value[cachedImage], ImageOutput: c.value[outputImage],
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

// cachedParts divides what was read from the cache where no details say what it is: audio first, then images, then text. Unless it is the
// whole prompt or there is only text, it is not known.
func (c *counts) cachedParts(in field) {
	audio, image, cached := c.value[inputAudio], c.value[inputImage]+c.value[sessionImage], c.value[cachedTokens]
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

// readAndWritten leaves tokens that were read from the cache and also written to it, as OpenRouter counts them for Gemini, in the reads.
// Only a call with a stated charge needs no exact counts.
func (c *counts) readAndWritten(in field) {
	if c.stated.cost != "" && !c.has(write30m) && !c.has(write12h) && c.value[cacheWriteTokens] <= c.value[in] {
		c.value[cacheWriteTokens] = min(c.value[cacheWriteTokens], max(0, c.value[in]-c.value[cachedTokens]))
	}
}

// writesAgree checks the two kinds of OpenAI's cache writes against their sum. Without kinds all writes are the short one.
func (c *counts) writesAgree() error {
	if c.has(write30m) || c.has(write12h) {
		return c.exactly(cacheWriteTokens, write30m, write12h)
	}
	return nil
}

// grokOnAzure is xAI's object in the API of Azure.
var grokOnAzure = shape{
	required: xaiChat.required,
	optional: xaiChat.optional,
	counts:   (*counts).grokOnAzure,
}

// grokOnAzure: the cached tokens are beside the prompt, which shows where they are more. The charge is xAI's, not that of Azure.
func (c *counts) grokOnAzure() (Usage, error) {
	cached := c.value[cachedTokens]
	if cached > 0 && cached <= c.value[promptTokens] {
		return Usage{}, &Error{names[cachedTokens], "may be in " + names[promptTokens] + " or beside it"}
	}
	c.value[cachedTokens], c.value[costTicks] = 0, 0
	u, err := c.xaiChat()
	u.CacheRead, u.ChargedUSD = cached, ""
	return u, err
}
