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

// places maps texts in loader errors (a $ref) to places in the document. The key nullPart
// stands for a null.
type places map[string]string

const nullPart = "null"

// Parts that must not be null: values at these keys, and all values below these places.
var (
	single = regexp.MustCompile(`^(\$ref:?|requestBody|schema|items|additionalProperties|content|responses|properties|allOf|anyOf|oneOf|` +
		`get|put|post|delete|options|head|patch|trace)$`)
	several = regexp.MustCompile(`(^|\.)(paths|content|responses|schemas|properties|patternProperties|parameters|requestBodies|headers|\$defs)$`)
)

// prepare records places in a file and changes its text in two ways. Properties get a
// position, because the loader sorts them by name and structs should keep the document's
// order. References into a component become references to another file, because only
// those become components.
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

// below matches a reference into a component.
var below = regexp.MustCompile(`^#/components/\w+/[^/]+/`)

// visit walks the tree. names reports that node's keys are property names.
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
			isNull := child.Tag == "!!null" && (single.MatchString(key) || several.MatchString(place))
			if isNull || !names && key == "$ref" && (child.Tag != "!!str" || child.Value == "") { // the loader skips such a $ref
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

func setOrder(property *yaml.Node) {
	if order := "x-order"; property.Kind == yaml.MappingNode && !hasKey(property, order) {
		position := strconv.Itoa(property.Line*1_000_000 + property.Column)
		property.Content = append(property.Content, scalar(order), scalar(position))
	}
}

func scalar(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// locate adds the place to an error that contains or quotes part of a $ref.
func (p places) locate(err error) error {
	for _, ref := range slices.Sorted(maps.Keys(p)) {
		quoted := func(part string) bool { return strings.Contains(err.Error(), strconv.Quote(part)) }
		if strings.Contains(err.Error(), ref) || slices.ContainsFunc(strings.Split(ref, "/"), quoted) {
			return fmt.Errorf("%s: %w; a $ref must point into the document or a file next to it", p[ref], err)
		}
	}
	return err
}

// data matches keys whose values aren't parts of the document.
var data = regexp.MustCompile(`^(example|examples|default|enum|const|value|x-.*)$`)

// annotation matches keys that say nothing about the type.
var annotation = regexp.MustCompile(`^(title|description|default|example|deprecated|nullable|readOnly|writeOnly|x-.*)$`)

// hasOther reports whether a mapping has a key that doesn't match.
func hasOther(node *yaml.Node, pattern *regexp.Regexp) bool {
	for i := 0; i < len(node.Content); i += 2 {
		if !pattern.MatchString(node.Content[i].Value) {
			return true
		}
	}
	return false
}

var alone = regexp.MustCompile(`^(\$ref|x-.*)$`)

// hoist moves annotations up to node if an allOf contains a single $ref.
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
