package modelid

// Gemini has the rules for Google. Those for builds apply to gemini-1 and later only: the 001 of an embedding, of Imagen and of
// Veo is part of the id. So is -preview without a date; see Rewrites.
var Gemini = &Dialect{
	owned: geminiOwned,
	spelling: []idRule{
		variant,
		containing("projects/", replacing(`^(?:google/|gemini/|models/|publishers/google/models/|projects/(?:[^/]+/)*?models/)+`, "")),
		withoutPrefixes("google/", "gemini/", "models/", "publishers/google/models/"),
		replacing(`^(gemini-\d)-(\d)(-.*)$`, "${1}.${2}${3}"),
		containing("-latest", replacing(`^(gemini-\d.*?)-latest$`, "${1}")),
	},
	builds: []idRule{
		containing("-00", replacing(`^(gemini-\d.*?)-00[12]$`, "${1}")),
		containing("-preview-", replacing(`^(gemini-\d.*?)-preview-`+month+`-(?:`+day+`|`+year+`)$`, "${1}")),
		containing("-exp-", replacing(`^(gemini-\d.*?)-exp-`+month+`-?`+day+`$`, "${1}")),
	},
	// A preview may have become the model it was a preview of, or it is still the only one, so this is tried last.
	guesses: []idRule{undotted, dotted, replacing(`^(.*gemini-\d.*)-preview$`, "${1}")},
}
