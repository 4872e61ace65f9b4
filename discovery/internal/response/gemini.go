package response

import (
	"strconv"
	"strings"
)

// geminiRoot also has Vertex's embeddings.
var geminiRoot = place(Root, map[string]Field{"predictions[].embeddings.statistics.token_count": InputCount}, nil)

// grounding is what Gemini searched for.
var grounding = place(nil, map[string]Field{"webSearchQueries[]": Query, "imageSearchQueries[]": ImageQuery, "groundingChunks[].maps": Maps}, nil)

// generated takes the usage so far from a generateContent chunk. The final one is next to
// the finish reason.
func (r *Reader) generated(d *Document, used []byte) {
	r.usage, r.merged = used, nil
	r.final = r.finished || d.fed
	if d.candidates > 0 {
		r.final = d.finished == d.candidates
	}
}

func (r *Reader) interaction(d *Document) {
	r.name(d)
	r.tools.merge(&d.tools)
	if strings.HasPrefix(d.kind, "interaction.complete") {
		r.text[Tier], r.usage, r.merged = d.text[Tier], d.used(), nil
		r.final = r.usage != nil
	}
}

// Before Gemini 3, grounding is billed once per prompt.
func billedByPrompt(model string) bool {
	_, version, found := strings.Cut(model, "gemini-")
	if !found {
		return false
	}
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(version)
	}
	major, err := strconv.Atoi(version[:end])
	return err == nil && major < 3
}
