package geminisku

import (
	"regexp"
	"strings"
)

// What the words in the description of a SKU mean. WIRE.md section 8 lists the styles; the words are the same in all.
var (
	// modeWords say that a price is not the list price. They stand anywhere.
	modeWords = map[string]string{
		"cached": ModeCached, "caching": ModeCached, "cache": ModeCached,
		"batch": ModeBatch, "batched": ModeBatch, "batching": ModeBatch, "batches": ModeBatch,
		"flex": ModeFlex, "priority": ModePriority, "live": ModeLive, "free": ModeFree,
	}
	// modeOrder is how modes that meet are joined: how it is asked first, what is asked last.
	modeOrder = []string{ModeFree, ModeLive, ModeBatch, ModeFlex, ModePriority, ModeCached}

	modalityWords = map[string]string{"text": ModalityText, "image": ModalityImage, "audio": ModalityAudio, "video": ModalityVideo}

	// headWords are the others that stand before the model and change nothing.
	headWords = setOf("generate", "content", "generatecontent", "batchgenerate", "batchgeneratecontent", "bidi", "bidigenerate",
		"bidigeneratecontent", "embed", "embedcontent", "input", "output", "token", "tokens", "count", "for", "thinking", "non")
	// tailWords are the others that stand behind the model and change nothing but direction and tier.
	tailWords = setOf("input", "output", "token", "tokens", "count", "short", "long", "prediction", "predictions", "online")

	// tokenWords are evidence that tokens are counted.
	tokenWords = setOf("token", "tokens", "prediction", "predictions")
	// modelsOfOthers are words in a model's name that leave open what its tokens are of.
	modelsOfOthers = setOf("image", "audio", "video", "tts", "native", "live")

	// endWords begin what says nothing of the model any more, nor of the length of the prompt.
	endWords = setOf("storage", "by", "paid", "provisioned", "commitment", "committed")
	// clauseWords do so too, and what follows may be about the length of the prompt.
	clauseWords = setOf("with", "for", "if", "where", "at", "from", "in", "between", "than", "tier")
	// lengthWords do so too, and are about it wherever they stand.
	lengthWords = setOf("when", "up", "over", "above", "more", "greater", "longer", "larger", "beyond", "exceeds", "exceeding", "under", "below",
		"less", "shorter", "smaller", "prompt", "prompts", "context", "contexts", "inputs", "length", "window", "extended")

	// The words of what is not counted in tokens.
	groundingWords = setOf("search", "searches", "query", "queries", "grounding", "grounded", "map", "maps")
	otherWords     = setOf("imagen", "veo", "lyria", "character", "characters", "second", "seconds", "minute", "minutes",
		"request", "requests", "call", "calls", "videos", "images", "session", "sessions", "training", "tuning")
)

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}

// lengthSign is a comparison or a number of tokens: ">", "200k", "200k+", "200000".
var lengthSign = regexp.MustCompile(`[<>≤≥+]|^\d+[km]$|^\d{6,}$`)

// ofLength says whether a word cannot be part of a model's name, because it is about the length of the prompt.
func ofLength(word string) bool { return lengthWords[word] || lengthSign.MatchString(word) }

func aboutLength(word string) bool { return word == "short" || word == "long" || ofLength(word) }

// thousands are digits that a comma parts and that are one number.
var thousands = regexp.MustCompile(`(\d),(\d{3})(?:,(\d{3}))?`)

// separators are what descriptions part words with. A dot is part of a version.
var separators = strings.NewReplacer("_", " ", "-", " ", "(", " ", ")", " ", ",", " ", "/", " ", ":", " ", ";", " ", "[", " ", "]", " ", "–", " ", "—", " ",
	"<", " < ", ">", " > ", "≤", " ≤ ", "≥", " ≥ ")

// Words is a text in lower case, cut into words.
func Words(text string) []string {
	return strings.Fields(separators.Replace(thousands.ReplaceAllString(strings.ToLower(text), "$1$2$3")))
}

func anyOf(words []string, set map[string]bool) bool {
	for _, word := range words {
		if set[word] {
			return true
		}
	}
	return false
}
