package modelid

// DeepSeek has the rules for DeepSeek.
var DeepSeek = &Dialect{
	owned:         deepSeekOwned,
	withoutVendor: withoutDeepSeek,
	spelling: []idRule{
		variant,
		withoutDeepSeek,
		containing("/deepseek-", replacing(`^(?:[^/]+/)+(deepseek-.*)$`, "${1}")), // any vendor, such as a reseller
		// DeepSeek's own API names this model without its version.
		renaming("deepseek-v4.1-flash", "deepseek-flash"),
	},
	builds: []idRule{
		// A version is a build only after these three words. In deepseek-v3.2 and deepseek-v4-pro it is the name.
		containing("-v", replacing(`^(deepseek-(?:chat|reasoner|coder))-v\d+(?:\.\d+)?(?:-exp|-terminus|-speciale|-\d{4})?$`, "${1}")),
		// The id under which DeepSeek served R1. Without a vendor prefix the result would be longer than the id, so that the
		// rule is among the guesses as well.
		r1,
	},
	guesses: []idRule{undotted, dotted, r1},
}

var withoutDeepSeek = withoutPrefixes("deepseek/", "deepseek-ai/")

var r1 = renaming("deepseek-r1", "deepseek-reasoner")
