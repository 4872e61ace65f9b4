package main

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// change is a difference. One that can be described has YAML, and the place in our
// document.
type change struct {
	where, what string
	path        []string
	name, yaml  string
	response    bool
}

func (c change) line() string { return c.where + ": " + c.what }

// goTypes are the types that follow from parameters and request members.
var goTypes = map[string]string{
	"GET /messages": "FetchOptions", "POST /messages": "SendRequest", "POST /peers/register": "RegisterRequest", "GET /threads": "ListThreadsOptions",
	"GET /threads/{thread_uuid}": "GetThreadOptions", "POST /threads": "OpenThread",
}

func (c change) follows() string {
	if name := goTypes[c.where]; name != "" && !c.response {
		return "; client." + name + " has to follow"
	}
	return ""
}

// aliases are other names of parameters, which the SDK doesn't send.
var aliases = []string{"to_node", "from_node"}

// compare returns the differences between both documents' operations.
func compare(a, b *openapi3.T) (found []change) {
	for _, at := range a.Paths.InMatchingOrder() {
		item := b.Paths.Find(at)
		if item == nil {
			continue
		}
		methods := a.Paths.Value(at).Operations()
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			if other := item.GetOperation(method); other != nil {
				c := comparison{where: method + " " + at, path: []string{"paths", at, strings.ToLower(method)}}
				c.parameters(methods[method], other)
				c.request(methods[method], other)
				c.responses(methods[method], other)
				found = append(found, c.found...)
			}
		}
	}
	return found
}

type comparison struct {
	where string
	path  []string
	found []change
}

func (c *comparison) add(path []string, name, yaml string, response bool, format string, args ...any) {
	c.found = append(c.found, change{c.where, fmt.Sprintf(format, args...), path, name, yaml, response})
}

func (c *comparison) parameters(a, b *openapi3.Operation) {
	for _, ref := range b.Parameters {
		p := ref.Value
		if p.In != openapi3.ParameterInQuery || a.Parameters.GetByInAndName(p.In, p.Name) != nil || p.Required || p.Schema == nil || slices.Contains(aliases, p.Name) {
			continue
		}
		if lines := describe(p.Schema.Value, ""); lines != "" && plain.MatchString(p.Name) {
			yaml := fmt.Sprintf("- name: %s\n  in: query\n  description: %s\n  schema:\n%s", key(p.Name), sentence(p.Description), indent(lines, "    "))
			c.add(append(slices.Clone(c.path), "parameters"), p.Name, yaml, false, "the new query parameter `%s`", p.Name)
		}
	}
}

func (c *comparison) request(a, b *openapi3.Operation) {
	mine, other := body(a.RequestBody), body(b.RequestBody)
	if mine == nil || other == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(other.Value.Properties)) {
		s := other.Value.Properties[name].Value
		if mine.Value.Properties[name] != nil || slices.Contains(other.Value.Required, name) || mine.Ref == "" {
			continue
		}
		if lines := describe(s, ""); lines != "" && plain.MatchString(name) {
			yaml := fmt.Sprintf("%s:\n%s  description: %s\n", key(name), indent(lines, "  "), sentence(s.Description))
			c.add(properties(mine.Ref), name, yaml, false, "the new request member `%s`", name)
		}
	}
}

func body(ref *openapi3.RequestBodyRef) *openapi3.SchemaRef {
	if ref == nil || ref.Value.Content.Get("application/json") == nil {
		return nil
	}
	return ref.Value.Content.Get("application/json").Schema
}

func (c *comparison) responses(a, b *openapi3.Operation) {
	for _, status := range slices.Sorted(maps.Keys(b.Responses.Map())) {
		switch mine, other := a.Responses.Value(status), b.Responses.Value(status); {
		case mine == nil && status[0] == '2':
			c.add(nil, "", "", true, "the new response status %s", status)
		case mine != nil && status[0] == '2':
			c.schema("the response", content(mine), content(other), map[*openapi3.Schema]bool{})
		}
	}
	for _, status := range slices.Sorted(maps.Keys(a.Responses.Map())) {
		if status[0] == '2' && b.Responses.Value(status) == nil {
			c.add(nil, "", "", true, "the response status %s was removed", status)
		}
	}
}

func content(ref *openapi3.ResponseRef) *openapi3.SchemaRef {
	if media := ref.Value.Content.Get("application/json"); media != nil {
		return media.Schema
	}
	return nil
}

// schema compares object members. FastAPI writes schemas without members, which say
// nothing.
func (c *comparison) schema(at string, a, b *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	a, b = arm(a, b), arm(b, a)
	if a == nil || b == nil || seen[b.Value] {
		return
	}
	seen[b.Value] = true
	members := membersOf(b.Value)
	switch isArray := b.Value.Type.Is("array"); {
	case isArray && a.Value.Type.Is("array"):
		c.schema(at+"[]", a.Value.Items, b.Value.Items, seen)
	case isArray != a.Value.Type.Is("array") && (isArray || len(members) > 0):
		c.add(nil, "", "", true, "%s became %s", at, strings.Join(b.Value.Type.Slice(), " or "))
	case len(members) > 0:
		c.members(at, a, members, seen)
	}
}

func (c *comparison) members(at string, a *openapi3.SchemaRef, members openapi3.Schemas, seen map[*openapi3.Schema]bool) {
	known := membersOf(a.Value)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if known[name] != nil {
			c.schema(at+"."+name, known[name], members[name], seen)
			continue
		}
		c.found = append(c.found, member(c.where, path.Base(a.Ref), name, describe(members[name].Value, "nullable: true\n"), members[name].Value.Description))
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if members[name] == nil {
			c.add(nil, "", "", true, "the response member `%s` of %s was removed", name, path.Base(a.Ref))
		}
	}
}

// member is a new response member. It can be adopted if its type is known.
func member(where, schema, name, lines, description string) change {
	c := change{where: where, what: fmt.Sprintf("the new response member `%s` of %s", name, schema), name: name, response: true}
	if lines != "" && plain.MatchString(name) && schema != "." {
		c.path = properties("#/components/schemas/" + schema)
		c.yaml = fmt.Sprintf("%s:\n%s  description: %s\n", key(name), indent(lines, "  "), sentence(description))
	}
	return c
}

// arm returns the union arm with other's type, or the schema itself.
func arm(ref, other *openapi3.SchemaRef) *openapi3.SchemaRef {
	if ref == nil || other == nil {
		return nil
	}
	for _, one := range append(slices.Clone(ref.Value.OneOf), ref.Value.AnyOf...) {
		if other.Value.Type.Is("array") == one.Value.Type.Is("array") {
			return one
		}
	}
	if len(ref.Value.AllOf) == 1 && len(ref.Value.Properties) == 0 {
		return ref.Value.AllOf[0]
	}
	return ref
}

// membersOf includes allOf members.
func membersOf(s *openapi3.Schema) openapi3.Schemas {
	all := maps.Clone(s.Properties)
	for _, part := range s.AllOf {
		if all == nil {
			all = openapi3.Schemas{}
		}
		maps.Copy(all, membersOf(part.Value))
	}
	return all
}

func properties(ref string) []string {
	return append(strings.Split(strings.TrimPrefix(ref, "#/"), "/"), "properties")
}

// key quotes names such as null and yes, which YAML would read as values.
func key(name string) string {
	text, err := yaml.Marshal(name)
	if err != nil {
		return name
	}
	return strings.TrimSpace(string(text))
}

// plain is a name that needs no escapes in YAML and Go.
var plain = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

var predicate = regexp.MustCompile(`^(is|are|has|holds|lists|describes|names|reports|restricts) [^\n]*\.$`)

// sentence returns a description that continues the Go name.
func sentence(text string) string {
	if predicate.MatchString(text) && !strings.Contains(text, ": ") && !strings.Contains(text, " #") {
		return text
	}
	return "is the gateway's name for it; its document does not explain it."
}

// describe returns YAML for a scalar, a list of scalars or a free object; else "".
func describe(s *openapi3.Schema, rest string) string {
	kind := s.Type.Slice()
	if len(kind) != 1 || len(s.AnyOf)+len(s.OneOf)+len(s.AllOf)+len(s.Properties)+len(s.Enum) > 0 {
		return ""
	}
	text := "type: " + kind[0] + "\n"
	switch kind[0] {
	case "integer":
		text += "format: int64\n"
	case "object":
		text += "additionalProperties: true\n"
	case "array":
		items := "{}"
		if s.Items != nil && describe(s.Items.Value, "") != "" {
			items = "\n" + strings.TrimSuffix(indent(describe(s.Items.Value, ""), "  "), "\n")
		}
		text += strings.TrimSuffix("items: "+items, " ") + "\n"
	}
	return strings.ReplaceAll(text, "items: \n", "items:\n") + rest
}

func indent(lines, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+by) + "\n"
}
