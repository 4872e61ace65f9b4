package tools

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// arguments decodes the arguments of a call that have the schema. Integers above 2^53 keep their value: as float64 the id of a message
// would become that of another one.
func arguments[In any](schema *jsonschema.Resolved, sent json.RawMessage) (in In, err error) {
	value := map[string]any{}
	if len(sent) > 0 {
		err = json.Unmarshal(sent, &value)
	}
	if err = cmp.Or(err, schema.Validate(value)); err != nil || json.Unmarshal(sent, &in) == nil {
		return in, err
	}
	whole, err := json.Marshal(value) // an integer that was written as 17.0
	return in, cmp.Or(err, json.Unmarshal(whole, &in))
}

const (
	// maxShown is the number of characters of an argument that an error may repeat, such as a name.
	maxShown = 64
	// maxError is the number of characters of an error.
	maxError = 2000
)

// withoutArguments removes long arguments from the text of an error, and bounds it.
func withoutArguments(text string, sent json.RawMessage) string {
	var arguments map[string]any
	_ = json.Unmarshal(sent, &arguments) // the tool has read them
	for _, value := range arguments {
		if argument, ok := value.(string); ok && utf8.RuneCountInString(argument) > maxShown {
			quoted := strconv.Quote(argument)
			text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], "…")
			text = strings.ReplaceAll(text, argument, "…")
		}
	}
	if runes := []rune(text); len(runes) > maxError {
		text = string(runes[:maxError]) + "…"
	}
	return text
}
