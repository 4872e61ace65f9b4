package tools

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// The types of arguments that have bounds.
type (
	content string
	// heuristicRule is the number of a rule that also matches harmless text. An agent must not allow another one.
	heuristicRule int
	messageLimit  int
	nodeName      string
	recipients    []nodeName // a name, or a list of names
	waitSeconds   int
)

func (r *recipients) UnmarshalJSON(text []byte) error {
	var name nodeName
	if json.Unmarshal(text, &name) == nil {
		*r = recipients{name}
		return nil
	}
	return json.Unmarshal(text, (*[]nodeName)(r))
}

var nodeSchema = &jsonschema.Schema{Type: "string", MinLength: jsonschema.Ptr(1), MaxLength: jsonschema.Ptr(64)}

// bounds are the schemas of these types, and of the types of other packages. An integer of 64 bits is the id of a message.
var bounds = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage](): {Type: "object"},
	reflect.TypeFor[content]():         {Type: "string", MinLength: jsonschema.Ptr(1), MaxLength: jsonschema.Ptr(200_000)},
	reflect.TypeFor[heuristicRule]():   {Type: "integer", Enum: []any{10, 12}},
	reflect.TypeFor[client.Kind]():     {Type: "string", Enum: anys(mail.Kinds)},
	reflect.TypeFor[int64]():           {Type: "integer", Minimum: jsonschema.Ptr(1.0)},
	reflect.TypeFor[messageLimit]():    {Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(1000.0)},
	reflect.TypeFor[nodeName]():        nodeSchema,
	reflect.TypeFor[recipients]():      {Types: []string{"string", "array"}, MinLength: jsonschema.Ptr(1), MaxLength: jsonschema.Ptr(64), MinItems: jsonschema.Ptr(1), Items: nodeSchema},
	reflect.TypeFor[models.Provider](): {Type: "string", Enum: anys(models.Providers())},
	reflect.TypeFor[waitSeconds]():     {Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(float64(maxWait))},
}

func anys[T ~string](names []T) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = string(name)
	}
	return list
}

// schemaOf returns the schema of arguments.
func schemaOf[T any]() *jsonschema.Resolved {
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: bounds})
	if err != nil {
		panic(err) // a type without a schema: a mistake in the program
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return resolved
}
