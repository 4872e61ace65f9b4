package usage

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// modality is what a list of Gemini counts apart. A document is images of its pages.
type modality struct {
	audio, image, video field
	// answer is set for lists of what the model generated, where neither videos nor documents are known.
	answer bool
}

var promptModalities, cacheModalities, toolModalities = modality{audio: promptAudio, image: promptImage, video: promptVideo},
	modality{audio: cacheAudio, image: cacheImage, video: cacheVideo}, modality{audio: toolAudio, image: toolImage, video: toolVideo}

// modalities are the lists of Gemini that count by modality.
var modalities = map[string]modality{
	"promptTokensDetails": promptModalities, "promptTokenDetails": promptModalities, "input_tokens_by_modality": promptModalities,
	"cacheTokensDetails": cacheModalities, "cached_tokens_by_modality": cacheModalities,
	"toolUsePromptTokensDetails": toolModalities, "tool_use_tokens_by_modality": toolModalities,
	"candidatesTokensDetails":   {audio: answerAudio, image: answerImage, answer: true},
	"responseTokensDetails":     {audio: answerAudio, image: answerImage, answer: true},
	"output_tokens_by_modality": {audio: answerAudio, image: answerImage, answer: true},
}

// modalityNumbers are the names of the enum in protobuf's JSON with numbers.
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

// modalityName reads the name of a modality, or its number, in lower case.
func modalityName(d *jsonread.Decoder, list string) (string, error) {
	if d.Next() != jsonread.Number {
		name, err := text(d, list)
		return strings.ToLower(name), err
	}
	n, err := whole(d)
	if err != nil {
		return "", &Error{list, "is not valid JSON"}
	}
	if n < 0 || n >= int64(len(modalityNumbers)) {
		return "modality", nil
	}
	return modalityNumbers[n], nil
}

// addCount adds to a count that a list may have several times.
func (c *counts) addCount(f field, n int64) error {
	if c.value[f] += n; c.value[f] > maxTokens {
		return &Error{names[f], "is too large"}
	}
	c.seen |= 1 << f
	return nil
}
