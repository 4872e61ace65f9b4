package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

// wrongArguments says how to fix the arguments. It repeats no values: they may be long or
// secret.
func wrongArguments(tool string, schema *jsonschema.Schema, sent json.RawMessage) string {
	var values map[string]any
	if json.Unmarshal(sent, &values) != nil {
		return "the arguments of " + tool + " must be an object"
	}
	var wrong, missing []string
	for _, name := range schema.Required {
		if _, given := values[name]; !given {
			missing = append(missing, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		property, known := schema.Properties[name]
		switch {
		case !known:
			text, meant := unknownArgument(tool, name, schema, values, missing)
			wrong = append(wrong, text)
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == meant })
		case !fits(property, values[name]):
			wrong = append(wrong, name+" must be "+form(property))
		}
	}
	if len(missing) > 0 {
		wrong = append(wrong, tool+" needs "+strings.Join(missing, " and "))
	}
	return withoutArguments(strings.Join(wrong, "; "), nil)
}

// unknownArgument guesses the intended argument: one with a similar name, or the only one
// missing.
func unknownArgument(tool, name string, schema *jsonschema.Schema, values map[string]any, missing []string) (text, meant string) {
	free := slices.DeleteFunc(slices.Clone(schema.PropertyOrder), func(other string) bool { _, given := values[other]; return given })
	if meant = editdistance.Nearest(name, free); meant == "" && len(missing) == 1 && fits(schema.Properties[missing[0]], values[name]) {
		meant = missing[0]
	}
	if len(name) > maxShown {
		name = "a name of " + strconv.Itoa(len(name)) + " bytes"
	}
	switch {
	case meant != "":
		return fmt.Sprintf("%s is not an argument of %s; did you mean %s?", name, tool, meant), meant
	case len(free) == 0:
		return fmt.Sprintf("%s is not an argument of %s", name, tool), ""
	}
	return fmt.Sprintf("%s is not an argument of %s, which also takes %s", name, tool, strings.Join(free, ", ")), ""
}

func fits(schema *jsonschema.Schema, value any) bool {
	resolved, err := schema.CloneSchemas().Resolve(nil)
	return err == nil && resolved.Validate(value) == nil
}

func form(s *jsonschema.Schema) string {
	switch {
	case len(s.Enum) > 0:
		return "one of " + strings.Trim(fmt.Sprint(s.Enum), "[]")
	case slices.Contains(s.Types, "string"):
		return "the name of a node, or a list of names"
	case s.Type == "array" || slices.Contains(s.Types, "array"):
		return "a list; each item must be " + form(s.Items)
	case s.Type == "string" && s.MaxLength != nil:
		return fmt.Sprintf("a string of 1 to %d characters", *s.MaxLength)
	case s.Type == "integer" && s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("an integer from %.0f to %.0f", *s.Minimum, *s.Maximum)
	case s.Type == "integer" && s.Minimum != nil:
		return fmt.Sprintf("an integer of at least %.0f", *s.Minimum)
	case s.Type == "object" && len(s.Required) > 0:
		return "an object with " + strings.Join(s.Required, " and ")
	case s.Type == "boolean":
		return "true or false"
	case strings.HasPrefix(s.Type, "a") || strings.HasPrefix(s.Type, "i") || strings.HasPrefix(s.Type, "o"):
		return "an " + s.Type
	}
	return "a " + s.Type
}
