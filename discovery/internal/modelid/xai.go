package modelid

// xaiDialect: WIRE.md section 11, xAI. What an id says in words (-reasoning, -mini, -fast, -code) is part of it.
var XAI = &Dialect{
	spelling: []idRule{
		variant,
		replacing(`^(?:x-ai/|xai/)+`, ""),
		cutting(`-beta|-latest`),
		// A date is written in two ways.
		replacing(`^(.*\d.*)-(`+month+`)-(`+day+`)$`, "${1}-${2}${3}"),
		// By table: grok-4-1-fast is a real id, and the 20 of grok-4-20 is no day.
		replacing(`^(grok-4)-(5|20)(-.*)?$`, "${1}.${2}${3}"),
	},
	builds: []idRule{
		// A build stands at the end, or in front of what the model can do: grok-4.20-0309-reasoning.
		replacing(`^(.*\d.*?)-`+month+day+`(-.*)?$`, "${1}${2}"),
	},
	guesses: []idRule{undotted, dotted},
}
