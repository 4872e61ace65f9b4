package usage

import "github.com/mesh-gateway/mesh-go/internal/decimal"

func xaiShape(c *counts) *shape {
	switch {
	case c.has(promptTokens):
		return &xaiChat
	case c.has(costTicks) && !c.has(inputTokens) && !c.has(outputTokens):
		return &xaiMedia
	}
	return &xaiResponses
}

// xaiChat is also for xAI's own SDK, which has the details next to the counts.
var xaiChat = shape{
	required: setOf(promptTokens, completionTokens),
	optional: setOf(totalTokens, cachedTokens, inputAudio, inputImage, reasoningTokens, rejectedTokens, outputAudio, outputImage, costTicks, sourcesUsed, toolsUsed),
	counts:   (*counts).xaiChat,
}

// The total tells whether the completion includes reasoning, since servers differ.
// Without it that is unknown.
func (c *counts) xaiChat() (Usage, error) {
	prompt, completion, reasoning := c.value[promptTokens], c.value[completionTokens], c.value[reasoningTokens]
	var err error
	switch total := c.value[totalTokens]; {
	case !c.has(totalTokens):
		if reasoning > 0 {
			c.addMode(unknownName(names[reasoningTokens]))
		}
	case total == prompt+completion:
		err = c.within(completionTokens, reasoningTokens)
	case total == prompt+completion+reasoning:
		completion += reasoning
	default:
		err = &Error{names[totalTokens], "is not the sum of prompt and completion, with or without reasoning"}
	}
	u, failed := c.xai(promptTokens, completion)
	return u, firstError(err, failed)
}

var xaiResponses = shape{
	required: setOf(inputTokens, outputTokens),
	optional: setOf(totalTokens, cachedTokens, inputAudio, inputImage, reasoningTokens, outputAudio, outputImage, costTicks, sourcesUsed, toolsUsed),
	counts: func(c *counts) (Usage, error) {
		err := firstError(c.within(outputTokens, reasoningTokens), c.sum(totalTokens, inputTokens, outputTokens))
		u, failed := c.xai(inputTokens, c.value[outputTokens])
		return u, firstError(err, failed)
	},
}

// xaiMedia is for images and videos, which are billed without tokens.
var xaiMedia = shape{
	required: setOf(costTicks),
	counts:   func(c *counts) (Usage, error) { return Usage{ChargedUSD: ticks(c.value[costTicks])}, nil },
}

// The input includes cached, audio and image tokens. Cache reads are text first, since
// images cost the same. The charge is in ticks (10^-10 USD), after discounts. A charge of
// 0 next to tokens comes from another cloud that bills by itself.
func (c *counts) xai(in field, output int64) (Usage, error) {
	text := c.value[in] - c.value[inputAudio] - c.value[inputImage]
	cachedImages := max(0, c.value[cachedTokens]-max(0, text))
	u := Usage{
		Input: text - c.value[cachedTokens] + cachedImages, CacheRead: c.value[cachedTokens] - cachedImages, AudioInput: c.value[inputAudio],
		ImageInput: c.value[inputImage] - cachedImages, ImageCacheRead: cachedImages,
		Output: output - c.value[outputAudio] - c.value[outputImage], AudioOutput: c.value[outputAudio], ImageOutput: c.value[outputImage],
	}
	if c.has(costTicks) && c.value[in]+output == 0 {
		u.ChargedUSD = "0"
	}
	err := firstError(c.within(in, cachedTokens, inputAudio, inputImage), c.xaiTools())
	switch {
	case err != nil:
	case min(u.Input, u.ImageInput) < 0:
		err = &Error{names[cachedTokens], "and " + names[inputAudio] + " are more than " + names[in]}
	case u.Output < 0:
		err = &Error{names[outputAudio], "and " + names[outputImage] + " are more than the output"}
	}
	return u, err
}

// xaiTools adds search sources. It adds the total number of tool uses only if no details
// list them, because the details count successful uses, which are billed, and the total
// counts attempts.
func (c *counts) xaiTools() error {
	err := c.addRequests("live_search", c.value[sourcesUsed])
	if c.listed {
		return err
	}
	return firstError(err, c.addRequests("server_side_tools", c.value[toolsUsed]))
}

// ticks converts 10^-10 USD to a decimal.
func ticks(n int64) string {
	const places = 10
	return decimal.New(n, places).String()
}
