package modelid

// families are the words for a line of Claude models (WIRE.md section 5).
const families = `opus|sonnet|haiku|fable|mythos`

// anthropicDialect: WIRE.md section 11, Anthropic. -fast and -preview are part of an id.
var Anthropic = &Dialect{
	spelling: []idRule{
		variant,
		replacing(`^(?:(?:us|eu|apac|global)\.anthropic\.|anthropic[./]|(?:projects/[^/]+/locations/[^/]+/)?publishers/anthropic/models/)+`, ""),
		replacing(`\[1m\]$`, ""),
		cutting(`-v\d+:\d+`), // Bedrock's; claude-v2:1 would be nothing without it
		replacing(`@(?:latest|default)$`, ""),
		replacing(`@(`+year+month+day+`)$`, "-${1}"), // Google Cloud's
		cutting(`-latest`),
		// Claude 1 and 2 have a dot in their real ids.
		replacing(`-([3-9]|[1-9]\d)\.(\d)`, "-${1}-${2}"),
		// The version comes first in 3.x, the family from 4 on. Nothing in a version has eight digits: a date is none.
		replacing(`^claude-([4-9]|[1-9]\d)((?:-\d{1,2})?)-(`+families+`)(-.*)?$`, "claude-${3}-${1}${2}${4}"),
		replacing(`^claude-(`+families+`)-(3(?:-\d{1,2})?)(-.*)?$`, "claude-${2}-${1}${3}"),
		replacing(`^(claude-(?:`+families+`)-\d{1,2})-0(-.*)?$`, "${1}${2}"),
	},
	builds: []idRule{
		cutting(`-` + year + month + day),
	},
	guesses: []idRule{undotted, dotted},
}
