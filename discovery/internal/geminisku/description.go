package geminisku

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

// longPrompt is the threshold, in tokens, between the tiers that SKUs call short and
// long.
const longPrompt = 200_000

// classify parses a SKU description. If there is anything it doesn't understand, the mode
// isn't ModeStandard.
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
	if modality := headModality(clause); c.Modality == "" && modality != several {
		c.Modality = modality
	}
	switch {
	case c.Modality == several:
		c.Modality = ""
	case c.Modality == "" && !anyOf(model, mediaWords):
		c.Modality = ModalityText
	}
	return c
}

// notTokens returns the mode for a SKU that isn't counted in tokens, or "". It searches
// the whole text for storage, which is counted in token hours and must never be read as
// tokens. charged lacks the clause: in "for requests over 200k", requests aren't charged.
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

// countsTokens reports whether the words tell that tokens are counted, and in which
// direction. The style "… Text Input - Predictions" has no word token. Words after "when"
// describe the prompt.
func countsTokens(words []string) bool {
	if i := slices.Index(words, "when"); i >= 0 {
		words = words[:i]
	}
	return anyOf(words, tokenWords) && directionOf(words) != ""
}

// directionOf looks for output first, because output SKUs also mention the input ("… when
// input is up to 128k").
func directionOf(words []string) Direction {
	switch {
	case slices.Contains(words, "output"):
		return Output
	case slices.Contains(words, "input"):
		return Input
	}
	return ""
}

// splitAtModel splits the words at "gemini", and splits off the final clause that tells
// when the price applies.
func splitAtModel(words []string) (head, tail, clause []string) {
	i := slices.Index(words, "gemini")
	if i < 0 {
		return words, nil, nil
	}
	head, tail = words[:i], words[i+1:]
	if end := slices.IndexFunc(tail, func(word string) bool { return endWords[word] || clauseWords[word] || isLength(word) }); end >= 0 {
		tail, clause = tail[:end], tail[end:]
	}
	return head, tail, clause
}

func joinedModes(words []string) string {
	var modes []string
	for _, mode := range modeOrder {
		if slices.ContainsFunc(words, func(word string) bool { return modeOf(word) == mode }) {
			modes = append(modes, mode)
		}
	}
	return cmp.Or(strings.Join(modes, "-"), ModeStandard)
}

func modeOf(word string) string {
	switch {
	case strings.HasPrefix(word, "batchgenerate"):
		return ModeBatch
	case strings.HasPrefix(word, "bidi"):
		return ModeLive
	}
	return modeWords[word]
}

// head makes the mode unknown if a word before the model is unknown or describes the
// prompt length.
func (c *Class) head(words []string) {
	unknown := func(word string) bool { return modeWords[word] == "" && modalityWords[word] == "" && !headWords[word] }
	switch {
	case slices.ContainsFunc(words, aboutLength):
		c.unknownTier()
	case slices.ContainsFunc(words, unknown):
		c.Mode = ModeUnknown
	}
}

// several marks multiple modalities, as in "text image video input token count".
const several = "several"

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

// modelIn returns the model at the start of the tail. Model names don't contain "text" or
// "input", so an unknown word after one of those isn't part of the name, and may describe
// the prompt length.
func (c *Class) modelIn(tail []string) []string {
	model := strip(c, tail)
	end := slices.IndexFunc(model, func(word string) bool { return word == ModalityText || tailWords[word] })
	if end < 0 {
		return model
	}
	c.unknownTier()
	return strip(c, model[:end+1])
}

// strip removes trailing words that aren't part of the model, and sets the modality if
// the head lacks it. It takes a single modality. In "3 pro image text", the image belongs
// to the model, and also if the head already has a modality ("text input token count for
// Gemini 3 Pro Image").
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

// tier parses short and long, or the clause about the prompt length. If it doesn't
// understand, the mode becomes unknown.
func (c *Class) tier(tail, clause []string) {
	short, long := slices.Contains(tail, "short"), slices.Contains(tail, "long")
	switch {
	case len(clause) > 0 && endWords[clause[0]] && !slices.ContainsFunc(clause, aboutLength):
		c.Mode = ModeUnknown // another kind of price, for any prompt length
	case short && long, (short || long) && len(clause) > 0:
		c.unknownTier()
	case short:
		c.Limit = longPrompt
	case long:
		c.Threshold = longPrompt
	case len(clause) > 0:
		c.clause(clause)
	}
}

// promptClause matches a clause about the prompt length, as in "when input is up to 128k
// tokens".
var promptClause = lazy.Regexp(`^(?:when (?:input|prompt) is )?(up to|greater than|more than|over|above) ([1-9]\d{0,3})k(?: tokens)?$`)

func (c *Class) clause(words []string) {
	parts := promptClause().FindStringSubmatch(strings.Join(words, " "))
	if parts == nil {
		c.unknownTier()
		return
	}
	tokens, _ := strconv.ParseInt(parts[2], 10, 64) // at most four digits
	if tokens *= 1000; parts[1] == "up to" {
		c.Limit = tokens
	} else {
		c.Threshold = tokens
	}
}

// unknownTier marks a SKU whose prompt length isn't understood.
func (c *Class) unknownTier() {
	c.Mode, c.UnknownTier = ModeUnknown, c.UnknownTier || c.Mode == ModeStandard
}

// modelOf returns the model in a tail if nothing else matters.
func modelOf(tail []string) string {
	return named(strip(&Class{}, tail))
}

func named(model []string) string {
	if len(model) == 0 {
		return ""
	}
	return "gemini " + strings.Join(model, " ")
}

// Words in descriptions. They mean the same in every style.
var (
	// modeWords mark prices other than the list price, and may occur anywhere.
	modeWords = map[string]string{
		"cached": ModeCached, "caching": ModeCached, "cache": ModeCached,
		"batch": ModeBatch, "batched": ModeBatch, "batching": ModeBatch, "batches": ModeBatch,
		"flex": ModeFlex, "priority": ModePriority, "live": ModeLive, "free": ModeFree,
	}
	// modeOrder is the order in which modes are joined, as in "flex-cached".
	modeOrder = []string{ModeFree, ModeLive, ModeBatch, ModeFlex, ModePriority, ModeCached}

	modalityWords = map[string]string{"text": ModalityText, "image": ModalityImage, "audio": ModalityAudio, "video": ModalityVideo}

	// headWords are other known words before the model. They don't change the price.
	headWords = wordSet("generate content generatecontent batchgenerate batchgeneratecontent bidi bidigenerate bidigeneratecontent embed embedcontent input " +
		"output token tokens count for thinking non")
	// tailWords are other known words after the model. They affect only direction and
	// tier.
	tailWords = wordSet("input output token tokens count short long prediction predictions online")

	// tokenWords show that tokens are counted.
	tokenWords = wordSet("token tokens prediction predictions")
	// mediaWords in a model name leave its default modality open.
	mediaWords = wordSet("image audio video tts native live")

	// endWords end the model name. Later words describe neither the model nor the prompt
	// length.
	endWords = wordSet("storage by paid provisioned commitment committed")
	// clauseWords end the model name. Later words may describe the prompt length.
	clauseWords = wordSet("with for if where at from in between than tier")
	// lengthWords end the model name and describe the prompt length wherever they occur.
	lengthWords = wordSet("when up over above more greater longer larger beyond exceeds exceeding under below less shorter smaller prompt prompts context contexts " +
		"inputs length window extended")

	// groundingWords and otherWords tell that something other than tokens is counted.
	groundingWords = wordSet("search searches query queries grounding grounded map maps")
	otherWords     = wordSet("imagen veo lyria character characters second seconds minute minutes request requests call calls videos images session sessions training " +
		"tuning")
)

func wordSet(list string) map[string]bool { return setOf(strings.Fields(list)...) }

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}

// hasLengthSign reports whether a word is a comparison or a number of tokens: ">",
// "200k", "200k+", "200000".
func hasLengthSign(word string) bool {
	rest := strings.TrimLeft(word, "0123456789")
	switch digits := len(word) - len(rest); rest {
	case "k", "m":
		return digits > 0
	case "":
		return digits >= 6
	}
	return strings.ContainsAny(rest, "<>≤≥+")
}

// isLength reports whether a word describes the prompt length, so it can't be part of a
// model name.
func isLength(word string) bool { return lengthWords[word] || hasLengthSign(word) }

func aboutLength(word string) bool { return word == "short" || word == "long" || isLength(word) }

var thousands = lazy.Regexp(`(\d),(\d{3})(?:,(\d{3}))?`)

var comparisons = strings.NewReplacer("<", " < ", ">", " > ", "≤", " ≤ ", "≥", " ≥ ")

// Words returns the lower-case words in a text. A comparison is a separate word.
func Words(text string) []string {
	text = thousands().ReplaceAllString(strings.ToLower(text), "$1$2$3")
	return strings.FieldsFunc(comparisons.Replace(text), separates)
}

// separates excludes dots, which are part of versions.
func separates(r rune) bool {
	switch r {
	case ' ', '_', '-', '(', ')', ',', '/', ':', ';', '[', ']', '–', '—':
		return true
	}
	return unicode.IsSpace(r)
}

func anyOf(words []string, set map[string]bool) bool {
	for _, word := range words {
		if set[word] {
			return true
		}
	}
	return false
}
