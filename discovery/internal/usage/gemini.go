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

var geminiMedia = []field{
	promptAudio, promptImage, promptVideo, cacheAudio, cacheImage, cacheVideo, toolAudio, toolImage, toolVideo, answerAudio, answerImage,
}

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

// cachedMedia divides what was read from the cache where no list says what it is: audio first, then images and videos, then text. Unless it
// is the whole prompt or there is only text, it is not known.
func (c *counts) cachedMedia(prompt, cached field) {
	rest := c.value[cached]
	for _, m := range [...]struct{ from, to field }{{promptAudio, cacheAudio}, {promptImage, cacheImage}, {promptVideo, cacheVideo}} {
		c.value[m.to] = min(rest, c.value[m.from])
		rest -= c.value[m.to]
	}
	switch {
	case c.value[cached] == c.value[prompt]:
	case c.value[promptAudio] > 0 && c.value[promptAudio] < c.value[prompt]:
		c.addMode(unknownName(names[cacheAudio]))
	case c.value[promptImage]+c.value[promptVideo] > 0:
		c.addMode(CachedImages)
	}
}

var geminiInteractions = shape{
	required: []field{totalInput},
	optional: append([]field{totalCached, totalOutput, totalThought, totalTool, totalTokens}, geminiMedia...),
	counts: func(c *counts) (Usage, error) {
		return c.gemini(totalInput, totalCached, totalOutput, totalThought, totalTool, totalTokens)
	},
}

// gemini: the prompt includes cached content; thoughts are output beside the candidates, and tool use is input beside the
// prompt. Counts of 0 may be left out. Where it is not listed which modality was read from the cache, it may be audio, which saves most.
func (c *counts) gemini(prompt, cached, answer, thoughts, tool, total field) (Usage, error) {
	err := first(
		c.within(prompt, cached, promptAudio, promptImage, promptVideo), c.within(cached, cacheAudio, cacheImage, cacheVideo),
		c.within(tool, toolAudio, toolImage, toolVideo), c.within(answer, answerAudio, answerImage),
	)
	if sum := c.value[prompt] + c.value[answer] + c.value[thoughts] + c.value[tool]; err == nil && c.has(total) && c.value[total] != sum {
		err = &Error{names[total], "is not the sum of its parts"}
	}
	if c.value[cached] > 0 && !c.has(cacheAudio) {
		c.cachedMedia(prompt, cached)
	}
	audio := max(0, c.value[promptAudio]-c.value[cacheAudio]) // the prompt may list less than it has
	image, video := max(0, c.value[promptImage]-c.value[cacheImage]), max(0, c.value[promptVideo]-c.value[cacheVideo])
	u := Usage{
		Input: c.value[prompt] - c.value[cached] - audio - image - video, ToolInput: c.value[tool] - c.value[toolAudio] - c.value[toolImage] - c.value[toolVideo],
		AudioInput: audio + c.value[toolAudio], ImageInput: image + c.value[toolImage], VideoInput: video + c.value[toolVideo],
		CacheRead:      c.value[cached] - c.value[cacheAudio] - c.value[cacheImage] - c.value[cacheVideo],
		AudioCacheRead: c.value[cacheAudio], ImageCacheRead: c.value[cacheImage], VideoCacheRead: c.value[cacheVideo],
		Output:      c.value[answer] - c.value[answerAudio] - c.value[answerImage] + c.value[thoughts],
		AudioOutput: c.value[answerAudio], ImageOutput: c.value[answerImage],
	}
	for _, m := range [...]struct{ from, to *int64 }{{&u.VideoInput, &u.VideoCacheRead}, {&u.ImageInput, &u.ImageCacheRead}} {
		if n := min(-u.Input, *m.from, u.CacheRead); n > 0 { // a list of what was cached that has less than was cached
			*m.from, *m.to, u.Input, u.CacheRead = *m.from-n, *m.to+n, u.Input+n, u.CacheRead-n
		}
	}
	switch {
	case err != nil:
	case min(u.Input, u.CacheRead, u.ToolInput) < 0:
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
