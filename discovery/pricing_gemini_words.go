package discovery

import "strings"

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

	// endWords begin what says nothing of the model any more.
	endWords = setOf("when", "up", "over", "above", "more", "greater", "storage", "by", "paid")

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

// separators are what descriptions part words with. A dot is part of a version.
var separators = strings.NewReplacer("_", " ", "-", " ", "(", " ", ")", " ", ",", " ", "/", " ", ":", " ", ";", " ")

// wordsOf is a text in lower case, cut into words.
func wordsOf(text string) []string { return strings.Fields(separators.Replace(strings.ToLower(text))) }

func anyOf(words []string, set map[string]bool) bool {
	for _, word := range words {
		if set[word] {
			return true
		}
	}
	return false
}
