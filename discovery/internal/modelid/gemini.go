package modelid

// geminiDialect: WIRE.md section 11, Google. The rules for builds are for gemini-1 and later alone: the 001 of an embedding,
// of Imagen and of Veo is part of the id. So is -preview without a date; see rewrites.
var Gemini = &Dialect{
	spelling: []idRule{
		variant,
		replacing(`^(?:google/|gemini/|models/|publishers/google/models/|projects/(?:[^/]+/)*?models/)+`, ""),
		replacing(`^(gemini-\d)-(\d)(-.*)$`, "${1}.${2}${3}"),
		replacing(`^(gemini-\d.*?)-latest$`, "${1}"),
	},
	builds: []idRule{
		replacing(`^(gemini-\d.*?)-00[12]$`, "${1}"),
		replacing(`^(gemini-\d.*?)-preview-`+month+`-(?:`+day+`|`+year+`)$`, "${1}"),
		replacing(`^(gemini-\d.*?)-exp-`+month+`-?`+day+`$`, "${1}"),
	},
	// A preview may have become the model it was a preview of, or be all there is: the last thing to try.
	guesses: []idRule{undotted, dotted, replacing(`^(.*gemini-\d.*)-preview$`, "${1}")},
}
