package modelid

// families are the lines of Claude models.
const families = `opus|sonnet|haiku|fable|mythos`

// Anthropic has the rules for Anthropic. -fast and -preview are part of an id.
var Anthropic = &Dialect{
	owned: anthropicOwned,
	spelling: []idRule{
		variant,
		containing("projects/", replacing(`^(?:(?:us|eu|apac|global|jp|au|us-gov)\.anthropic\.|anthropic[./]|(?:projects/[^/]+/locations/[^/]+/)?publishers/anthropic/models/)+`, "")),
		withoutPrefixes("us.anthropic.", "eu.anthropic.", "apac.anthropic.", "global.anthropic.", "jp.anthropic.", "au.anthropic.",
			"us-gov.anthropic.", "anthropic.", "anthropic/", "publishers/anthropic/models/"),
		withoutSuffix("[1m]"),
		containing("-v", versioned(replacing(`-v\d+(:\d+)?$`, ""))), // Bedrock's; nothing would be left of claude-v2:1
		withoutSuffix("@latest", "@default"),
		containing("@20", replacing(`@(`+year+month+day+`)$`, "-${1}")), // Google Cloud's
		versioned(withoutSuffix("-latest")),
		// Claude 1 and 2 have a dot in their real ids.
		containing(".", replacing(`-([3-9]|[1-9]\d)\.(\d)`, "-${1}-${2}")),
		// The version precedes the family in 3.x and follows it from 4 on. Eight digits are a date, not a version.
		replacing(`^claude-([4-9]|[1-9]\d)((?:-\d{1,2})?)-(`+families+`)(-.*)?$`, "claude-${3}-${1}${2}${4}"),
		containing("-3", replacing(`^claude-(`+families+`)-(3(?:-\d{1,2})?)(-.*)?$`, "claude-${2}-${1}${3}")),
		containing("-0", replacing(`^(claude-(?:`+families+`)-\d{1,2})-0(-.*)?$`, "${1}${2}")),
	},
	builds: []idRule{
		containing("-20", versioned(replacing(`-`+year+month+day+`$`, ""))),
	},
	guesses: []idRule{undotted, dotted},
}
