package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// describeArguments replaces the error of invalid arguments of a tool, in which the SDK quotes them, by the fields of the tool.
func describeArguments(tool *mcp.Tool, schema *jsonschema.Schema) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			call, isCall := req.(*mcp.CallToolRequest)
			refused, isResult := result.(*mcp.CallToolResult)
			if err != nil || !isCall || !isResult || call.Params.Name != tool.Name || !refused.IsError {
				return result, err
			}
			if own := (*toolError)(nil); !errors.As(refused.GetError(), &own) {
				explained := fmt.Sprintf("the arguments of %s are invalid; its fields are %s", tool.Name, fields(schema))
				refused.Content = []mcp.Content{&mcp.TextContent{Text: explained}}
			}
			return result, err
		}
	}
}

// fields describes the fields of arguments.
func fields(schema *jsonschema.Schema) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		field := schema.Properties[name]
		text := name + " (" + typeName(field)
		if field.Maximum != nil {
			text += fmt.Sprintf(", maximum %v", *field.Maximum)
		}
		if field.MaxLength != nil {
			text += fmt.Sprintf(", maximum %d characters", *field.MaxLength)
		}
		if slices.Contains(schema.Required, name) {
			text += ", required"
		}
		list = append(list, text+")")
	}
	return strings.Join(list, ", ")
}

// typeName returns the type of a field, as in "string" or "array of integer 10|12". The schema of a list also permits null.
func typeName(field *jsonschema.Schema) string {
	if field.Items != nil {
		return "array of " + typeName(field.Items)
	}
	name := cmp.Or(field.Type, strings.Join(field.Types, " or "))
	if len(field.Enum) > 0 {
		name += " " + strings.Trim(strings.ReplaceAll(fmt.Sprint(field.Enum), " ", "|"), "[]")
	}
	return name
}

// toolError is the error of a tool. Any other error of a result is one of the SDK: the arguments are invalid, and the tool did not run.
type toolError struct{ text string }

func (e *toolError) Error() string { return e.text }

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
