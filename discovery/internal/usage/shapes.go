package usage

import (
	"strconv"
	"strings"
)

var openAIChat = shape{
	required: []field{promptTokens, completionTokens, totalTokens},
	optional: []field{
		cachedTokens, cacheWriteTokens, write30m, write12h, inputAudio, inputImage, reasoningTokens, rejectedTokens, outputAudio, outputImage,
	},
	counts: func(c *counts) (Usage, error) { return c.openAI(promptTokens, completionTokens) },
}

var openAIResponses = shape{
	required: []field{inputTokens, outputTokens, totalTokens},
	optional: []field{cachedTokens, cacheWriteTokens, write30m, write12h, inputAudio, inputImage, reasoningTokens, outputAudio, outputImage},
	counts:   func(c *counts) (Usage, error) { return c.openAI(inputTokens, outputTokens) },
}

// openAI: the input includes cached and written tokens, the output includes reasoning, and the total is their sum.
func (c *counts) openAI(in, out field) (Usage, error) {
	err := first(c.within(in, cachedTokens, cacheWriteTokens), c.within(out, reasoningTokens, rejectedTokens), c.writesAgree())
	if err == nil && c.value[totalTokens] != c.value[in]+c.value[out] {
		err = &Error{names[totalTokens], "is not the sum of " + names[in] + " and " + names[out]}
	}
	uncached := c.value[in] - c.value[cachedTokens] - c.value[cacheWriteTokens]
	if err == nil && uncached < 0 {
		err = &Error{names[cachedTokens], "and " + names[cacheWriteTokens] + " are more than " + names[in]}
	}
	return Usage{
		Input: uncached, CacheRead: c.value[cachedTokens], Output: c.value[out],
		CacheWrite5m: c.value[cacheWriteTokens] - c.value[write12h], CacheWrite1h: c.value[write12h],
	}, err
}

// writesAgree checks the two kinds of OpenAI's cache writes against their sum. Without kinds all writes are the short one.
func (c *counts) writesAgree() error {
	if (c.has(write30m) || c.has(write12h)) && c.value[write30m]+c.value[write12h] != c.value[cacheWriteTokens] {
		return &Error{names[cacheWriteTokens], "is not the sum of " + names[write30m] + " and " + names[write12h]}
	}
	return nil
}

var deepSeekChat = shape{
	required: []field{promptTokens, cacheHit, cacheMiss, completionTokens},
	optional: []field{totalTokens, cachedTokens, reasoningTokens},
	counts:   (*counts).deepSeek,
}

// deepSeek: the prompt is hits and misses, and the completion includes reasoning.
func (c *counts) deepSeek() (Usage, error) {
	err := c.within(completionTokens, reasoningTokens)
	switch {
	case err != nil:
	case c.value[cacheHit]+c.value[cacheMiss] != c.value[promptTokens]:
		err = &Error{names[promptTokens], "is not the sum of " + names[cacheHit] + " and " + names[cacheMiss]}
	case c.has(cachedTokens) && c.value[cachedTokens] != c.value[cacheHit]:
		err = &Error{names[cachedTokens], "is not " + names[cacheHit]}
	case c.has(totalTokens) && c.value[totalTokens] != c.value[promptTokens]+c.value[completionTokens]:
		err = &Error{names[totalTokens], "is not the sum of " + names[promptTokens] + " and " + names[completionTokens]}
	}
	return Usage{Input: c.value[cacheMiss], CacheRead: c.value[cacheHit], Output: c.value[completionTokens]}, err
}

var anthropicMessages = shape{
	required: []field{inputTokens, outputTokens},
	optional: []field{cacheCreation, cacheRead, ephemeral5m, ephemeral1h, thinkingTokens},
	counts:   (*counts).anthropic,
}

// anthropic: the input excludes what was read from and written to the cache, and the output includes thinking. Writes that are
// not broken down are those for five minutes. What a compaction used is in none of these counts and is added.
func (c *counts) anthropic() (Usage, error) {
	err := c.within(outputTokens, thinkingTokens)
	u := Usage{Input: c.value[inputTokens], CacheRead: c.value[cacheRead], Output: c.value[outputTokens], CacheWrite5m: c.value[cacheCreation]}
	if c.has(ephemeral5m) || c.has(ephemeral1h) {
		u.CacheWrite5m, u.CacheWrite1h = c.value[ephemeral5m], c.value[ephemeral1h]
		if err == nil && c.has(cacheCreation) && u.CacheWrite5m+u.CacheWrite1h != c.value[cacheCreation] {
			err = &Error{names[cacheCreation], "is not the sum of " + names[ephemeral5m] + " and " + names[ephemeral1h]}
		}
	}
	return u, first(err, u.add(&c.compaction))
}

// add adds the counts of another object. A sum has the bound of a single count.
func (u *Usage) add(more *Usage) error {
	for _, sum := range [...]struct{ to, more *int64 }{
		{&u.Input, &more.Input}, {&u.CacheRead, &more.CacheRead}, {&u.CacheWrite5m, &more.CacheWrite5m},
		{&u.CacheWrite1h, &more.CacheWrite1h}, {&u.Output, &more.Output},
	} {
		if *sum.to += *sum.more; *sum.to > maxTokens {
			return &Error{"iterations", "has a sum that is too large"}
		}
	}
	return nil
}

var geminiGenerate = shape{
	optional: []field{promptCount, cachedCount, candidatesCount, thoughtsCount, toolCount, totalCount},
	required: []field{promptCount},
	counts: func(c *counts) (Usage, error) {
		return c.gemini(promptCount, cachedCount, candidatesCount, thoughtsCount, toolCount, totalCount)
	},
}

var geminiInteractions = shape{
	required: []field{totalInput},
	optional: []field{totalCached, totalOutput, totalThought, totalTool, totalTokens},
	counts: func(c *counts) (Usage, error) {
		return c.gemini(totalInput, totalCached, totalOutput, totalThought, totalTool, totalTokens)
	},
}

// gemini: the prompt includes cached content; thoughts are output beside the candidates, and tool use is input beside the
// prompt. Counts of 0 may be left out.
func (c *counts) gemini(prompt, cached, candidates, thoughts, tool, total field) (Usage, error) {
	err := c.within(prompt, cached)
	if sum := c.value[prompt] + c.value[candidates] + c.value[thoughts] + c.value[tool]; err == nil && c.has(total) && c.value[total] != sum {
		err = &Error{names[total], "is not the sum of its parts"}
	}
	return Usage{
		Input: c.value[prompt] - c.value[cached], ToolInput: c.value[tool], CacheRead: c.value[cached],
		Output: c.value[candidates] + c.value[thoughts],
	}, err
}

var xaiChat = shape{
	required: []field{promptTokens, completionTokens, totalTokens},
	optional: []field{cachedTokens, inputAudio, inputImage, reasoningTokens, rejectedTokens, outputAudio, outputImage, costTicks, sourcesUsed},
	counts:   (*counts).xaiChat,
}

// xaiChat: reasoning is beside the completion where the total has it, and inside where the total is that of prompt and
// completion alone: servers differ.
func (c *counts) xaiChat() (Usage, error) {
	prompt, completion, reasoning := c.value[promptTokens], c.value[completionTokens], c.value[reasoningTokens]
	u, err := c.xai(promptTokens, completion)
	switch {
	case err != nil:
	case c.value[totalTokens] == prompt+completion:
		err = c.within(completionTokens, reasoningTokens)
	case c.value[totalTokens] == prompt+completion+reasoning:
		u.Output += reasoning
	default:
		err = &Error{names[totalTokens], "is not the sum of prompt and completion, with or without reasoning"}
	}
	return u, err
}

var xaiResponses = shape{
	required: []field{inputTokens, outputTokens, totalTokens},
	optional: []field{cachedTokens, inputAudio, inputImage, reasoningTokens, outputAudio, outputImage, costTicks, sourcesUsed},
	counts: func(c *counts) (Usage, error) {
		err := c.within(outputTokens, reasoningTokens)
		if err == nil && c.value[totalTokens] != c.value[inputTokens]+c.value[outputTokens] {
			err = &Error{names[totalTokens], "is not the sum of " + names[inputTokens] + " and " + names[outputTokens]}
		}
		u, failed := c.xai(inputTokens, c.value[outputTokens])
		return u, first(err, failed)
	},
}

// xai: the input includes cached tokens. The charge is in ticks of 10^-10 USD, after all discounts.
func (c *counts) xai(in field, output int64) (Usage, error) {
	u := Usage{Input: c.value[in] - c.value[cachedTokens], CacheRead: c.value[cachedTokens], Output: output}
	if c.has(costTicks) {
		u.ChargedUSD = ticks(c.value[costTicks])
	}
	return u, c.within(in, cachedTokens)
}

// ticks writes a count of 10^-10 USD as a decimal.
func ticks(n int64) string {
	const places = 10
	text := strconv.FormatInt(n, 10)
	if len(text) <= places {
		text = strings.Repeat("0", places+1-len(text)) + text
	}
	whole, fraction := text[:len(text)-places], strings.TrimRight(text[len(text)-places:], "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
