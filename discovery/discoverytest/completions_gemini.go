package discoverytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// readGeminiCall reads a call such as gemini-2.5-flash:streamGenerateContent?alt=sse and reports whether its method is known.
func (c *completion) readGeminiCall(r *http.Request) bool {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	c.model, c.stream = model, method == "streamGenerateContent"
	c.array = r.URL.Query().Get("alt") != "sse"
	return c.stream || method == "generateContent"
}

// writeGeminiContent responds in the form of Gemini's generateContent. A stream is one of events, or a JSON array.
func writeGeminiContent(c completion) answer {
	switch {
	case !c.stream:
		return answer{Status: http.StatusOK, Header: googleJSON, Body: c.content(c.text, "STOP", c.usage)}
	case c.array:
		return answer{Status: http.StatusOK, Header: googleJSON, Events: geminiArray(c.contents())}
	}
	var events []string
	for _, content := range c.contents() {
		events = append(events, event("", content))
	}
	return stream(events)
}

func (c completion) content(text, finishReason string, usage json.RawMessage) object {
	candidate := object{"content": object{"parts": []object{{"text": text}}, "role": "model"}, "index": 0}
	if finishReason != "" {
		candidate["finishReason"] = finishReason
	}
	return object{
		"candidates": []object{candidate}, "modelVersion": c.model, "responseId": fmt.Sprintf("response-%d", c.number),
		"usageMetadata": usage,
	}
}

// contents returns the parts of a stream. Each has a usage, and the last one has the output too.
func (c completion) contents() []object {
	early := edit(without(c.usage, "candidatesTokenCount", "candidatesTokensDetails"), func(fields map[string]json.RawMessage) {
		if prompt, given := fields["promptTokenCount"]; given {
			fields["totalTokenCount"] = prompt
		}
	})
	var all []object
	words := c.words()
	for _, word := range words[:len(words)-1] {
		all = append(all, c.content(word, "", early))
	}
	return append(all, c.content(words[len(words)-1], "STOP", c.usage))
}

// geminiArray returns the parts of a JSON array with the separators that Google writes.
func geminiArray(all []object) []string {
	parts := make([]string, 0, len(all))
	for i, content := range all {
		before := "\n,\r\n"
		if i == 0 {
			before = "["
		}
		parts = append(parts, before+encode(content))
	}
	parts[len(parts)-1] += "\n]\n"
	return parts
}
