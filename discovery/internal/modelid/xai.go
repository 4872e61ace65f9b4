package modelid

// XAI has the rules for xAI. Words in an id (-reasoning, -mini, -fast, -code) are part of it.
var XAI = &Dialect{
	owned:         xaiOwned,
	withoutVendor: withoutXAI,
	spelling: []idRule{
		variant,
		withoutXAI,
		containing("/grok-", replacing(`^(?:[^/]+/)+(grok-.*)$`, "${1}")), // any vendor, such as a reseller
		versioned(withoutSuffix("-beta", "-latest")),
		// A date has two forms.
		replacing(`^(.*\d.*)-(`+month+`)-(`+day+`)$`, "${1}-${2}${3}"),
		// A table, not a pattern: grok-4-1-fast is a real id, and the 20 of grok-4-20 is not a day.
		dotting("grok-4", "3", "5", "6", "7", "20"),
	},
	builds: []idRule{
		// A build is at the end or before the words: grok-4.20-0309-reasoning.
		replacing(`^(.*\d.*?)-`+month+day+`(-.*)?$`, "${1}${2}"),
	},
	guesses: []idRule{undotted, dotted},
}

var withoutXAI = withoutPrefixes("x-ai/", "xai/")
