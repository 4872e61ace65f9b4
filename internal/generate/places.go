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
	for i, child := range node.Content {
		switch {
		case node.Kind == yaml.SequenceNode:
			at := fmt.Sprintf("%s[%d]", place, i)
			if child.Tag == "!!null" {
				p[nullPart] = at
			}
			p.visit(child, file, at, false)
		case node.Kind != yaml.MappingNode:
			p.visit(child, file, place, false)
		case i%2 == 1:
			key := node.Content[i-1].Value
			at := strings.TrimPrefix(place+"."+key, ".")
			if child.Tag == "!!null" && (single.MatchString(key) || several.MatchString(place)) {
				p[nullPart] = at
			}
			switch {
			case names:
				setOrder(child)
			case key == "allOf":
				hoist(node, child)
			case key != "$ref":
			case strings.Contains(child.Value, "/schemas/") && hasOther(node, alone): // the loader drops the other keys
				node.Content[i-1].Value = "allOf"
				_ = child.Encode([]map[string]string{{key: child.Value}})
			default:
				p[child.Value] = at
				child.Value = below.ReplaceAllString(child.Value, file+"$0")
			}
			if !names && !several.MatchString(place) && data.MatchString(key) {
				continue // a $ref in an example is data
			}
			p.visit(child, file, at, key == "properties" && !names)
		}
	}
}

// setOrder sets the position of a property that has none.
func setOrder(property *yaml.Node) {
	if order := "x-order"; property.Kind == yaml.MappingNode && !hasKey(property, order) {
		position := strconv.Itoa(property.Line*1_000_000 + property.Column)
		property.Content = append(property.Content, scalar(order), scalar(position))
	}
}

func scalar(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

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

// annotation are the keys that say nothing of the type.
var annotation = regexp.MustCompile(`^(title|description|default|example|deprecated|nullable|readOnly|writeOnly|x-.*)$`)

// hasOther reports whether a key of a mapping does not match.
func hasOther(node *yaml.Node, pattern *regexp.Regexp) bool {
	for i := 0; i < len(node.Content); i += 2 {
		if !pattern.MatchString(node.Content[i].Value) {
			return true
		}
	}
	return false
}

var alone = regexp.MustCompile(`^(\$ref|x-.*)$`)

// hoist moves the annotations of the arms beside the only $ref of an allOf to node.
func hoist(node, allOf *yaml.Node) {
	var ref *yaml.Node
	for _, arm := range allOf.Content {
		if hasOther(arm, annotation) {
			if ref != nil || hasOther(arm, alone) {
				return
			}
			ref = arm
		}
	}
	for _, arm := range allOf.Content {
		for i := 0; i < len(arm.Content) && arm != ref; i += 2 {
			if !hasKey(node, arm.Content[i].Value) {
				node.Content = append(node.Content, arm.Content[i:i+2]...)
			}
		}
	}
	if ref != nil {
		allOf.Content = []*yaml.Node{ref}
	}
}

func hasKey(node *yaml.Node, key string) bool {
	return slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Value == key })
}
