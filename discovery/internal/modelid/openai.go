package modelid

import "strings"

// OpenAI has the rules for OpenAI. Words in an id (-mini, -chat-latest, -audio, -search-preview) are part of it, and so is a date
// in the middle (gpt-4-1106-preview).
var OpenAI = &Dialect{
	owned: openAIOwned,
	spelling: []idRule{
		variant,
		withoutPrefixes("openai/"),
		// Only the versions that OpenAI writes with a dot and the catalog sometimes with a hyphen.
		dotting("gpt-3", "5"),
		containing("gpt-35", replacing(`^gpt-35-`, "gpt-3.5-")), // Azure's
		dotting("gpt-4", "1", "5"),
		dotting("gpt-5", "1", "2", "3", "4", "5", "6"),
		dotting("gpt-6", "1", "2"),
	},
	builds: []idRule{
		func(id string) string { base, _ := FineTuneBase(id); return base },
		containing("-20", replacing(`-`+year+`-`+month+`-`+day+`$`, "")),
		baseOfShortBuild,
	},
	guesses: []idRule{undotted, dotted},
}

// FineTuneBase returns the model that a fine-tune was made from, and whether id is a fine-tune: ft:BASE:ORGANISATION:NAME:ID.
func FineTuneBase(id string) (base string, ok bool) {
	rest, ok := strings.CutPrefix(id, "ft:")
	base, _, found := strings.Cut(rest, ":")
	if !ok || !found || base == "" {
		return id, false
	}
	return base, true
}

// WithoutDeployment returns id without the deployment that old responses name after a colon: gpt-3.5-turbo-instruct:20230824-v2 is
// gpt-3.5-turbo-instruct. It is no spelling rule, because davinci:2023-07-21-v2 is not the older model davinci. A fine-tune is
// unchanged: its base is behind a colon, too.
func WithoutDeployment(id string) string {
	base, deployment, found := strings.Cut(id, ":")
	if !found || base == "ft" || deployment == "" || deployment[0] < '0' || deployment[0] > '9' {
		return id
	}
	return base
}

// shortBuilds are the builds dated by month and day. A pattern would also match other ids.
var shortBuilds = map[string]string{
	"gpt-3.5-turbo-0125":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-0301":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-0613":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-1106":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-16k-0613": "gpt-3.5-turbo-16k",
	"gpt-4-0314":             "gpt-4",
	"gpt-4-0613":             "gpt-4",
	"gpt-4-32k-0314":         "gpt-4-32k",
	"gpt-4-32k-0613":         "gpt-4-32k",
}

func baseOfShortBuild(id string) string {
	if base, ok := shortBuilds[id]; ok {
		return base
	}
	return id
}
