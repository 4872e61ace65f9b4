package usage

func geminiShape(c *counts) *shape {
	switch {
	case c.has(totalInput):
		return &geminiInteractions
	case c.has(promptTokens):
		return &geminiCompatible
	case !c.has(promptCount) && c.has(totalCount):
		return &geminiBlocked
	}
	return &geminiGenerate
}

var geminiMedia = []field{promptAudio, cacheAudio, toolAudio, answerAudio, answerImage}

// geminiGenerate is also the object of the Live API, which has a response instead of candidates, and of embeddings.
var geminiGenerate = shape{
	required: []field{promptCount},
	optional: append([]field{cachedCount, candidatesCount, responseCount, thoughtsCount, toolCount, totalCount}, geminiMedia...),
	counts:   (*counts).geminiGenerate,
}

// geminiBlocked is a blocked prompt: counts of 0 are left out, so the total has to be 0 too.
var geminiBlocked = shape{
	required: []field{totalCount},
	optional: geminiGenerate.optional,
	counts:   (*counts).geminiGenerate,
}

func (c *counts) geminiGenerate() (Usage, error) {
	answer := candidatesCount
	if !c.has(candidatesCount) && c.has(responseCount) {
		answer = responseCount
	} else if c.value[responseCount] > 0 {
		return Usage{}, &Error{names[responseCount], "is beside " + names[candidatesCount]}
	}
	return c.gemini(promptCount, cachedCount, answer, thoughtsCount, toolCount, totalCount)
}

var geminiInteractions = shape{
	required: []field{totalInput},
	optional: append([]field{totalCached, totalOutput, totalThought, totalTool, totalTokens}, geminiMedia...),
	counts: func(c *counts) (Usage, error) {
		return c.gemini(totalInput, totalCached, totalOutput, totalThought, totalTool, totalTokens)
	},
}

// gemini: the prompt includes cached content; thoughts are output beside the candidates, and tool use is input beside the
// prompt. Counts of 0 may be left out. Audio of the input has a price of its own, images, videos and documents have that of
// text.
func (c *counts) gemini(prompt, cached, answer, thoughts, tool, total field) (Usage, error) {
	err := first(
		c.within(prompt, cached, promptAudio), c.within(cached, cacheAudio), c.within(tool, toolAudio), c.within(answer, answerAudio, answerImage),
	)
	if sum := c.value[prompt] + c.value[answer] + c.value[thoughts] + c.value[tool]; err == nil && c.has(total) && c.value[total] != sum {
		err = &Error{names[total], "is not the sum of its parts"}
	}
	audio := max(0, c.value[promptAudio]-c.value[cacheAudio]) // the prompt may list less than it has
	u := Usage{
		Input: c.value[prompt] - c.value[cached] - audio, AudioInput: audio + c.value[toolAudio], ToolInput: c.value[tool] - c.value[toolAudio],
		CacheRead: c.value[cached] - c.value[cacheAudio], AudioCacheRead: c.value[cacheAudio],
		Output:      c.value[answer] - c.value[answerAudio] - c.value[answerImage] + c.value[thoughts],
		AudioOutput: c.value[answerAudio], ImageOutput: c.value[answerImage],
	}
	switch {
	case err != nil:
	case u.Input < 0:
		err = &Error{names[promptAudio], "and " + names[cached] + " are more than " + names[prompt]}
	case u.Output < c.value[thoughts]:
		err = &Error{names[answerAudio], "and images are more than " + names[answer]}
	}
	return u, err
}

// geminiCompatible is the object of the endpoint that is compatible with OpenAI.
var geminiCompatible = shape{
	required: []field{promptTokens},
	optional: []field{totalTokens, completionTokens, cachedTokens, inputAudio, inputImage, reasoningTokens, outputAudio},
	counts: func(c *counts) (Usage, error) {
		// The total has the thoughts and the completion has not. Without it they are not known.
		if !c.has(totalTokens) {
			c.value[totalTokens] = c.value[promptTokens] + c.value[completionTokens] + c.value[reasoningTokens]
			if !c.has(reasoningTokens) {
				c.addMode(unknownName(names[reasoningTokens]))
			}
		}
		if c.value[totalTokens] < c.value[promptTokens]+c.value[completionTokens] {
			return Usage{}, &Error{names[totalTokens], "is less than " + names[promptTokens] + " and " + names[completionTokens]}
		}
		c.value[completionTokens] = c.value[totalTokens] - c.value[promptTokens]
		return c.openAI(promptTokens, completionTokens)
	},
}
