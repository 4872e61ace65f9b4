package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// places has the place of each $ref by a text that is in the error of the loader, and that of a null part by nullPart.
type places map[string]string

const nullPart = "null"

// A part of the document must not be null under these keys, and under any key below the others.
var (
	single  = regexp.MustCompile(`^(\$ref|requestBody|schema|items|additionalProperties)$`)
	several = regexp.MustCompile(`(^|\.)(paths|content|responses|schemas|properties|patternProperties|parameters|requestBodies|headers|\$defs)$`)
)

// prepare adds the places in the text of a file, and returns the text with two changes. The properties of a schema get a position, so that
// a struct has its fields in the order of the document: the loader sorts them by name. A reference to a part of a component becomes one to
// another file, since the loader makes components of those.
func (p places) prepare(text []byte, file, prefix string) []byte {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil {
		return text // the loader reports the error
	}
	p.visit(&root, file, prefix, false)
	prepared, err := yaml.Marshal(&root)
	if err != nil {
		return text
	}
	return prepared
}

// below is a reference to a part of a component.
var below = regexp.MustCompile(`^#/components/\w+/[^/]+/`)

// visit visits a node. The keys of some are names of properties.
func (p places) visit(node *yaml.Node, file, place string, names bool) {
	if !names {
		wrapRef(node)
	}
	for i, child := range node.Content {
		switch {
		case node.Kind == yaml.SequenceNode:
			if child.Tag == "!!null" {
				p[nullPart] = fmt.Sprintf("%s[%d]", place, i)
			}
			p.visit(child, file, fmt.Sprintf("%s[%d]", place, i), false)
		case node.Kind != yaml.MappingNode:
			p.visit(child, file, place, false)
		case i%2 == 1:
			key := node.Content[i-1].Value
			if names {
				setOrder(child)
			}
			if child.Tag == "!!null" && (names || single.MatchString(key) || several.MatchString(place)) {
				p[nullPart] = place + "." + key
			}
			if key == "$ref" && child.Kind == yaml.ScalarNode {
				p[child.Value] = place + ".$ref"
				child.Value = below.ReplaceAllString(child.Value, file+"$0")
			}
			if !names && !several.MatchString(place) && data.MatchString(key) {
				continue // a $ref in an example is data
			}
			p.visit(child, file, strings.TrimPrefix(place+"."+key, "."), key == "properties" && !names)
		}
	}
}

// setOrder sets the position of a property that has none.
func setOrder(property *yaml.Node) {
	const key = "x-order"
	if property.Kind == yaml.MappingNode && !slices.ContainsFunc(property.Content, func(n *yaml.Node) bool { return n.Value == key }) {
		position := strconv.Itoa(property.Line*1_000_000 + property.Column)
		property.Content = append(property.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, &yaml.Node{Kind: yaml.ScalarNode, Value: position})
	}
}

// locate puts the place of a $ref before an error that has its text, or quotes a part of it.
func (p places) locate(err error) error {
	for _, ref := range slices.Sorted(maps.Keys(p)) {
		quoted := func(part string) bool { return strings.Contains(err.Error(), strconv.Quote(part)) }
		if strings.Contains(err.Error(), ref) || slices.ContainsFunc(strings.Split(ref, "/"), quoted) {
			return fmt.Errorf("%s: %w; a $ref must name a part of the document or of a file beside it", p[ref], err)
		}
	}
	return err
}

// data are the keys whose values are not parts of the document.
var data = regexp.MustCompile(`^(example|examples|default|enum|const|value|x-.*)$`)

// wrapRef puts a reference to a schema with other keys beside it into an allOf. The loader drops those keys.
func wrapRef(node *yaml.Node) {
	beside := false
	for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
		beside = beside || node.Content[i].Value != "$ref" && !strings.HasPrefix(node.Content[i].Value, "x-")
	}
	for i := 0; i+1 < len(node.Content) && beside; i += 2 {
		if key, ref := node.Content[i], node.Content[i+1]; key.Value == "$ref" && strings.Contains(ref.Value, "/schemas/") {
			inner := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "$ref"}, ref}}
			node.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Value: "allOf"}
			node.Content[i+1] = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{inner}}
		}
	}
}
