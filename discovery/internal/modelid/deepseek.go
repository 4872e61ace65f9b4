package modelid

// deepSeekDialect: WIRE.md section 11, DeepSeek.
var DeepSeek = &Dialect{
	spelling: []idRule{
		variant,
		replacing(`^(?:deepseek/|deepseek-ai/)+`, ""),
		// DeepSeek's own API names this model without its version.
		replacing(`^deepseek-v4\.1-flash$`, "deepseek-flash"),
	},
	builds: []idRule{
		// Only in front of these three is a version a build. In deepseek-v3.2 and deepseek-v4-pro it is the name.
		replacing(`^(deepseek-(?:chat|reasoner|coder))-v\d+(?:\.\d+)?(?:-exp|-terminus|-speciale|-\d{4})?$`, "${1}"),
		// What DeepSeek served R1 as. Without a vendor prefix it would be the longer name, and is left to the guesses.
		r1,
	},
	guesses: []idRule{undotted, dotted, r1},
}

var r1 = replacing(`^deepseek-r1$`, "deepseek-reasoner")
