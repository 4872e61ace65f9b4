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

// places has the place of each $ref, and of a schema that is null, by a text that is in the error of the loader.
type places map[string]string

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
	for i, child := range node.Content {
		switch {
		case node.Kind == yaml.SequenceNode:
			p.visit(child, file, fmt.Sprintf("%s[%d]", place, i), false)
		case node.Kind != yaml.MappingNode:
			p.visit(child, file, place, false)
		case i%2 == 1:
			key := node.Content[i-1].Value
			if names {
				setOrder(child)
			}
			if child.Tag == "!!null" {
				p["value MUST be an object"] = place + "." + key
			}
			if key == "$ref" && child.Kind == yaml.ScalarNode {
				p[child.Value] = place + ".$ref"
				child.Value = below.ReplaceAllString(child.Value, file+"$0")
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

// locate puts the place of a $ref before an error that has its text, or quotes a part of it, and that of a null schema.
func (p places) locate(err error) error {
	for _, ref := range slices.Sorted(maps.Keys(p)) {
		quoted := func(part string) bool { return strings.Contains(err.Error(), strconv.Quote(part)) }
		if strings.Contains(err.Error(), ref) || slices.ContainsFunc(strings.Split(ref, "/"), quoted) {
			return fmt.Errorf("%s: %w; a $ref must name a part of the document or of a file beside it, and a schema must not be null", p[ref], err)
		}
	}
	return err
}
