package geminisku

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// class is what the description of a SKU says.
type Class struct {
	// model is in lower case, with "gemini" before it; "" where no Gemini model is named.
	Model string
	// direction is "" where the SKU is no price of tokens.
	Direction Direction
	Modality  string
	Mode      string
	// threshold is the length of the prompt from which the price holds, and limit the one up to which; 0 is no limit.
	Threshold, Limit int64
	// noTier is that the length of the prompt is all that keeps it from being a list price.
	NoTier bool
}

// Thresholds of Gemini's tiers, in tokens (WIRE.md section 8: short and long).
const longPrompt = 200_000

// classify reads the description of a SKU (WIRE.md section 8). It is strict in one way: whatever it does not understand
// makes a mode that is not the standard one, so that an unknown kind of price never answers for a list price.
func classify(description string) Class {
	words := Words(description)
	head, tail, clause := splitAtModel(words)
	if mode := notTokens(description, words, slices.Concat(head, tail)); mode != "" {
		return Class{Model: modelOf(tail), Mode: mode}
	}
	c := Class{Mode: joinedModes(words), Modality: headModality(head)}
	c.Direction = cmp.Or(directionOf(slices.Concat(head, tail)), directionOf(clause))
	c.head(head)
	model := c.modelIn(tail)
	c.Model = named(model)
	c.tier(tail, clause)
	if behind := headModality(clause); c.Modality == "" && behind != several {
		c.Modality = behind
	}
	switch {
	case c.Modality == several:
		c.Modality = ""
	case c.Modality == "" && !anyOf(model, modelsOfOthers):
		c.Modality = ModalityText
	}
	return c
}

// notTokens returns the mode of a SKU that is not counted in tokens, "" for one that is. Storage is looked for in the text
// itself, whatever stands around it: it is counted in token hours, and must never be taken for tokens. What is charged is the
// words without the clause: "for requests over 200k" is about the prompt.
func notTokens(description string, words, charged []string) string {
	text := strings.ToLower(description)
	switch {
	case strings.Contains(text, "storage"), strings.Contains(text, "hour"), strings.Contains(text, "period of time"):
		return ModeStorage
	case anyOf(words, groundingWords), strings.Contains(text, "grounding"):
		return ModeGrounding
	case anyOf(charged, otherWords), strings.Contains(text, "imagen"), !slices.Contains(words, "gemini"), !countsTokens(words):
		return ModeOther
	}
	return ""
}

// countsTokens says whether there is positive evidence of tokens, and of their direction. The style "… Text Input -
// Predictions" does not say token. What comes after "when" is about the prompt, not about what is charged.
func countsTokens(words []string) bool {
	if i := slices.Index(words, "when"); i >= 0 {
		words = words[:i]
	}
	return anyOf(words, tokenWords) && directionOf(words) != ""
}

// directionOf looks for output first: output SKUs speak of the input too ("… when input is up to 128k").
func directionOf(words []string) Direction {
	switch {
	case slices.Contains(words, "output"):
		return Output
	case slices.Contains(words, "input"):
		return Input
	}
	return ""
}

// splitAtModel parts the words into those before "gemini", those after it, and the clause at the end that says when the
// price holds.
func splitAtModel(words []string) (head, tail, clause []string) {
	i := slices.Index(words, "gemini")
	if i < 0 {
		return words, nil, nil
	}
	head, tail = words[:i], words[i+1:]
	if end := slices.IndexFunc(tail, func(word string) bool { return endWords[word] || clauseWords[word] || ofLength(word) }); end >= 0 {
		tail, clause = tail[:end], tail[end:]
	}
	return head, tail, clause
}

// joinedModes returns the mode that the words make.
func joinedModes(words []string) string {
	found := map[string]bool{}
	for _, word := range words {
		switch mode, known := modeWords[word]; {
		case known:
			found[mode] = true
		case strings.HasPrefix(word, "batchgenerate"):
			found[ModeBatch] = true
		case strings.HasPrefix(word, "bidi"):
			found[ModeLive] = true
		}
	}
	var modes []string
	for _, mode := range modeOrder {
		if found[mode] {
			modes = append(modes, mode)
		}
	}
	if len(modes) == 0 {
		return ModeStandard
	}
	return strings.Join(modes, "-")
}

// head makes the mode unknown for a word before the model that nobody knows, or that is about the length of the prompt.
func (c *Class) head(words []string) {
	unknown := func(word string) bool { return modeWords[word] == "" && modalityWords[word] == "" && !headWords[word] }
	switch {
	case slices.ContainsFunc(words, aboutLength):
		c.withoutTier()
	case slices.ContainsFunc(words, unknown):
		c.Mode = ModeUnknown
	}
}

// several stands for modalities that cannot be told apart, as in "text image video input token count".
const several = "several"

// headModality returns the modality that the words before the model name, "" for none.
func headModality(head []string) string {
	found := ""
	for _, word := range head {
		switch m := modalityWords[word]; {
		case m == "" || m == found:
		case found == "":
			found = m
		default:
			return several
		}
	}
	return found
}

// modelIn returns the model that the tail begins with. None is called "… text …" or "… input …": a word behind those that
// nobody knows is not the model's, and may be about the length of the prompt.
func (c *Class) modelIn(tail []string) []string {
	model := strip(c, tail)
	end := slices.IndexFunc(model, func(word string) bool { return word == ModalityText || tailWords[word] })
	if end < 0 {
		return model
	}
	c.withoutTier()
	return strip(c, model[:end+1])
}

// strip takes off the tail what is not the model, from its end, and fills in the modality if the head did not have it. One
// modality is taken and no second: in "3 pro image text" the image is part of the model, and so it is behind a head that
// names a modality already ("text input token count for Gemini 3 Pro Image").
func strip(c *Class, tail []string) []string {
	for n := len(tail); n > 0; n = len(tail) {
		word := tail[n-1]
		switch m := modalityWords[word]; {
		case word == "thinking" && n > 1 && tail[n-2] == "non":
			tail = tail[:n-2]
		case word == "thinking" && n > 1 && modalityWords[tail[n-2]] != "":
			tail = tail[:n-1]
		case m != "" && c.Modality == "" && (n < 2 || tail[n-2] != "native"):
			c.Modality, tail = m, tail[:n-1]
		case tailWords[word], modeWords[word] != "" && word != "live":
			tail = tail[:n-1]
		default:
			return tail
		}
	}
	return tail
}

// tier reads short and long, or the clause about the length of the prompt. What is not understood there makes the mode unknown.
func (c *Class) tier(tail, clause []string) {
	short, long := slices.Contains(tail, "short"), slices.Contains(tail, "long")
	switch {
	case len(clause) > 0 && endWords[clause[0]] && !slices.ContainsFunc(clause, aboutLength):
		c.Mode = ModeUnknown // another kind of price, for prompts of whatever length
	case short && long, (short || long) && len(clause) > 0:
		c.withoutTier()
	case short:
		c.Limit = longPrompt
	case long:
		c.Threshold = longPrompt
	case len(clause) > 0:
		c.clause(clause)
	}
}

// promptClause is the clause about the length of the prompt: "when input is up to 128k tokens".
var promptClause = regexp.MustCompile(`^(?:when (?:input|prompt) is )?(up to|greater than|more than|over|above) ([1-9]\d{0,3})k(?: tokens)?$`)

func (c *Class) clause(words []string) {
	parts := promptClause.FindStringSubmatch(strings.Join(words, " "))
	if parts == nil {
		c.withoutTier()
		return
	}
	tokens, _ := strconv.ParseInt(parts[2], 10, 64) // four digits at most
	if tokens *= 1000; parts[1] == "up to" {
		c.Limit = tokens
	} else {
		c.Threshold = tokens
	}
}

// withoutTier is what becomes of a SKU whose length of the prompt is not understood.
func (c *Class) withoutTier() { c.Mode, c.NoTier = ModeUnknown, c.NoTier || c.Mode == ModeStandard }

// modelOf is the model that a SKU names whose tail says nothing else of interest.
func modelOf(tail []string) string {
	return named(strip(&Class{}, tail))
}

// named is the words of a model as a ModelHint.
func named(model []string) string {
	if len(model) == 0 {
		return ""
	}
	return "gemini " + strings.Join(model, " ")
}
