package main

import (
	"os"

	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// orderExtension is the position of a property, which the generator reads only as a float64.
const orderExtension = "x-order"

// orderProperties gives the properties of the schemas the order that they have in the file of the document, so that a struct has its fields
// in it. The loader sorts them by name. Positions that the document states itself remain; one that was read from a URL has no others.
func orderProperties(doc *openapi3.T, file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // the user names the document
	if err != nil || doc.Components == nil {
		return nil //nolint:nilerr // a URL
	}
	var source struct {
		Components struct {
			Schemas map[string]struct{ Properties yaml.Node }
		}
	}
	if err := yaml.Unmarshal(text, &source); err != nil {
		return err
	}
	for name, ref := range doc.Components.Schemas {
		for i, node := range source.Components.Schemas[name].Properties.Content {
			if property := ref.Value.Properties[node.Value]; i%2 == 0 && property != nil { // the other nodes are their schemas
				setOrder(property, float64(i/2+1))
			}
		}
	}
	return nil
}

// setOrder sets the position of a property that has none. That of a reference is beside it, since other properties share its schema.
func setOrder(property *openapi3.SchemaRef, order float64) {
	extensions := &property.Extensions
	if property.Ref == "" {
		extensions = &property.Value.Extensions
	}
	if *extensions == nil {
		*extensions = map[string]any{}
	}
	if _, given := (*extensions)[orderExtension]; !given {
		(*extensions)[orderExtension] = order
	}
}
