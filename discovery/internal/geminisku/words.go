package geminisku

import (
	"strings"
	"unicode"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

// The words in descriptions. They mean the same in every style.
var (
	// modeWords mark a price other than the list price. They occur anywhere.
	modeWords = map[string]string{
		"cached": ModeCached, "caching": ModeCached, "cache": ModeCached,
		"batch": ModeBatch, "batched": ModeBatch, "batching": ModeBatch, "batches": ModeBatch,
		"flex": ModeFlex, "priority": ModePriority, "live": ModeLive, "free": ModeFree,
	}
	// modeOrder is the order in which several modes are joined, as in "flex-cached".
	modeOrder = []string{ModeFree, ModeLive, ModeBatch, ModeFlex, ModePriority, ModeCached}

	modalityWords = map[string]string{"text": ModalityText, "image": ModalityImage, "audio": ModalityAudio, "video": ModalityVideo}

	// headWords are the other known words before the model. They do not change the price.
	headWords = wordSet("generate content generatecontent batchgenerate batchgeneratecontent bidi bidigenerate bidigeneratecontent embed embedcontent input " +
		"output token tokens count for thinking non")
	// tailWords are the other known words after the model. They affect only direction and tier.
	tailWords = wordSet("input output token tokens count short long prediction predictions online")

	// tokenWords are evidence that tokens are counted.
	tokenWords = wordSet("token tokens prediction predictions")
	// mediaWords in the name of a model leave its default modality open.
	mediaWords = wordSet("image audio video tts native live")

	// endWords end the name of the model. What follows is about neither the model nor the length of the prompt.
	endWords = wordSet("storage by paid provisioned commitment committed")
	// clauseWords end the name of the model. What follows may be about the length of the prompt.
	clauseWords = wordSet("with for if where at from in between than tier")
	// lengthWords end the name of the model and are about the length of the prompt wherever they occur.
	lengthWords = wordSet("when up over above more greater longer larger beyond exceeds exceeding under below less shorter smaller prompt prompts context contexts " +
		"inputs length window extended")

	// groundingWords and otherWords occur where something other than tokens is counted.
	groundingWords = wordSet("search searches query queries grounding grounded map maps")
	otherWords     = wordSet("imagen veo lyria character characters second seconds minute minutes request requests call calls videos images session sessions training " +
		"tuning")
)

// wordSet returns the words of a list with blanks between them.
func wordSet(list string) map[string]bool { return setOf(strings.Fields(list)...) }

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}

// hasLengthSign reports whether a word has a comparison or is a number of tokens: ">", "200k", "200k+", "200000".
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

// isLength reports whether a word is about the length of the prompt, so that it cannot be part of a model's name.
func isLength(word string) bool { return lengthWords[word] || hasLengthSign(word) }

func aboutLength(word string) bool { return word == "short" || word == "long" || isLength(word) }

// thousands matches digits grouped by commas.
var thousands = lazy.Regexp(`(\d),(\d{3})(?:,(\d{3}))?`)

// comparisons puts blanks around comparisons.
var comparisons = strings.NewReplacer("<", " < ", ">", " > ", "≤", " ≤ ", "≥", " ≥ ")

// Words returns the words of a text in lower case. A comparison is a word of its own.
func Words(text string) []string {
	text = thousands().ReplaceAllString(strings.ToLower(text), "$1$2$3")
	return strings.FieldsFunc(comparisons.Replace(text), separates)
}

// separates reports whether a character separates words. A dot is part of a version.
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
