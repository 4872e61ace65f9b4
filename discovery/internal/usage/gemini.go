package usage

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

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

var geminiMedia = setOf(
	promptAudio, promptImage, promptVideo, cacheAudio, cacheImage, cacheVideo, toolAudio, toolImage, toolVideo, answerAudio, answerImage,
)

// geminiGenerate is also for embeddings, and for the Live API, which has a response
// instead of candidates.
var geminiGenerate = shape{
	required: setOf(promptCount),
	optional: setOf(cachedCount, candidatesCount, responseCount, thoughtsCount, toolCount, totalCount) | geminiMedia,
	counts:   (*counts).geminiGenerate,
}

// geminiBlocked is a blocked prompt. Counts of 0 are omitted, so the total must be 0,
// too.
var geminiBlocked = shape{
	required: setOf(totalCount),
	optional: geminiGenerate.optional,
	counts:   (*counts).geminiGenerate,
}

func (c *counts) geminiGenerate() (Usage, error) {
	answer := candidatesCount
	if !c.has(candidatesCount) && c.has(responseCount) {
		answer = responseCount
	} else if c.value[responseCount] > 0 {
		return Usage{}, &Error{names[responseCount], "is next to " + names[candidatesCount]}
	}
	return c.gemini(promptCount, cachedCount, answer, thoughtsCount, toolCount, totalCount)
}

// cachedMedia assigns cache reads without details to audio first, then images and videos,
// then text. That is a guess unless they are the whole prompt or all text.
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
	required: setOf(totalInput),
	optional: setOf(totalCached, totalOutput, totalThought, totalTool, totalTokens) | geminiMedia,
	counts: func(c *counts) (Usage, error) {
		return c.gemini(totalInput, totalCached, totalOutput, totalThought, totalTool, totalTokens)
	},
}

// The prompt includes cached content. Thoughts are output next to the candidates, and
// tool use is input next to the prompt. Counts of 0 may be omitted. Cache reads without
// details may be audio, which saves most.
func (c *counts) gemini(prompt, cached, answer, thoughts, tool, total field) (Usage, error) {
	err := firstError(
		c.within(prompt, cached, promptAudio, promptImage, promptVideo), c.within(cached, cacheAudio, cacheImage, cacheVideo),
		c.within(tool, toolAudio, toolImage, toolVideo), c.within(answer, answerAudio, answerImage),
	)
	if sum := c.value[prompt] + c.value[answer] + c.value[thoughts] + c.value[tool]; err == nil && c.has(total) && c.value[total] != sum {
		err = &Error{names[total], "is not the sum of its parts"}
	}
	if c.value[cached] > 0 && !c.has(cacheAudio) {
		c.cachedMedia(prompt, cached)
	}
	audio := max(0, c.value[promptAudio]-c.value[cacheAudio]) // the prompt's list may be incomplete
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
		if n := min(-u.Input, *m.from, u.CacheRead); n > 0 { // the list doesn't cover all cached tokens
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

// geminiCompatible is for the endpoint compatible with OpenAI.
var geminiCompatible = shape{
	required: setOf(promptTokens),
	optional: setOf(totalTokens, completionTokens, cachedTokens, inputAudio, inputImage, reasoningTokens, outputAudio),
	counts: func(c *counts) (Usage, error) {
		// The total includes thoughts and the completion doesn't. Without it they are unknown.
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

// modality maps a modality in a list to its count. A document is images (its pages).
type modality struct {
	audio, image, video field
	// answer is set for generated content, which can't be videos or documents.
	answer bool
}

var promptModalities, cacheModalities, toolModalities = modality{audio: promptAudio, image: promptImage, video: promptVideo},
	modality{audio: cacheAudio, image: cacheImage, video: cacheVideo}, modality{audio: toolAudio, image: toolImage, video: toolVideo}

var modalities = map[string]modality{
	"promptTokensDetails": promptModalities, "promptTokenDetails": promptModalities, "input_tokens_by_modality": promptModalities,
	"cacheTokensDetails": cacheModalities, "cached_tokens_by_modality": cacheModalities,
	"toolUsePromptTokensDetails": toolModalities, "tool_use_tokens_by_modality": toolModalities,
	"candidatesTokensDetails":   {audio: answerAudio, image: answerImage, answer: true},
	"responseTokensDetails":     {audio: answerAudio, image: answerImage, answer: true},
	"output_tokens_by_modality": {audio: answerAudio, image: answerImage, answer: true},
}

// modalityNumbers are the enum's names, for protobuf JSON with numbers.
var modalityNumbers = [...]string{"modality_unspecified", "text", "image", "video", "audio", "document"}

// modality reads an entry such as {"modality": "AUDIO", "tokenCount": 7}.
func (c *counts) modality(d *jsonread.Decoder, list string, m modality) error {
	var entry counts
	name := ""
	err := eachMember(d, list, func(key []byte) (err error) {
		switch string(key) {
		case "modality":
			name, err = modalityName(d, list)
			return err
		case "tokenCount", "token_count", "tokens":
			return inside(list, entry.count(d, totalTokens, string(key)))
		}
		return c.detail(d, string(key))
	})
	n := entry.value[totalTokens]
	if m.audio == cacheAudio {
		c.seen |= 1 << cacheAudio // the list says what was cached
	}
	switch {
	case entry.mistyped != 0:
		c.addMode(unknownName(list))
		return err
	case err != nil || n == 0 || name == "text":
		return err
	case name == "audio":
		return c.addCount(m.audio, n)
	case name == "image", name == "document" && !m.answer:
		return c.addCount(m.image, n)
	case name == "video" && !m.answer:
		return c.addCount(m.video, n)
	}
	c.addMode(unknownName(name))
	return nil
}

// modalityName returns a name in lower case, which may be given by its number.
func modalityName(d *jsonread.Decoder, list string) (string, error) {
	if d.Next() != jsonread.Number {
		name, err := text(d, list)
		return strings.ToLower(name), err
	}
	n, err := Int(d)
	if err != nil {
		return "", &Error{list, "is not valid JSON"}
	}
	if n < 0 || n >= int64(len(modalityNumbers)) {
		return "modality", nil
	}
	return modalityNumbers[n], nil
}

// addCount adds to a count that a list may repeat.
func (c *counts) addCount(f field, n int64) error {
	if c.value[f] += n; c.value[f] > maxTokens {
		return &Error{names[f], "is too large"}
	}
	c.seen |= 1 << f
	return nil
}
