package main

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/util"
)

//go:embed imports.tmpl
var imports string

// generate returns the code of a document.
func generate(document string, settings codegen.Configuration) (string, error) {
	version := generatorVersion()
	settings.NoVCSVersionOverride = &version
	templates := map[string]string{"imports.tmpl": imports}
	maps.Copy(templates, settings.OutputOptions.UserTemplates)
	settings.OutputOptions.UserTemplates = templates
	if err := settings.Validate(); err != nil {
		return "", err
	}
	doc, err := load(document, settings)
	if err != nil {
		return "", err
	}
	if ids := settings.OutputOptions.IncludeOperationIDs; len(ids) > 0 {
		if err := requireOperations(doc, ids); err != nil {
			return "", err
		}
		settings.OutputOptions.SkipPrune = false // the schemas of the other operations are not wanted either
	}
	code, err := codegen.Generate(doc, settings)
	// The check needs the names that Generate gives, and those depend on settings that Generate keeps in a global variable. Its
	// error is clearer than a syntax error of the generated code.
	if err := errors.Join(check(doc), checkStreams(doc)); err != nil {
		return "", err
	}
	return code, err
}

// normalizedText returns a document after Normalize, without an overlay.
func normalizedText(document string, settings codegen.Configuration) (string, error) {
	settings.OutputOptions.Overlay.Path = ""
	doc, err := load(document, settings)
	if err != nil {
		return "", err
	}
	text, err := doc.MarshalJSON()
	return string(text), err
}

// load reads a document, normalizes it, so that the overlay finds schemas in one form, applies the overlay, and orders the properties.
func load(document string, settings codegen.Configuration) (*openapi3.T, error) {
	overlay := settings.OutputOptions.Overlay
	options := util.LoadSwaggerWithOverlayOpts{
		Strict:              overlay.Strict == nil || *overlay.Strict,
		AllowRemoteRefsFrom: append([]string{}, settings.AllowRemoteRefsFrom...), // nil would allow all
	}
	doc, err := util.LoadSwaggerWithOverlay(document, options)
	if err != nil {
		return nil, err
	}
	if doc.OpenAPI == "" {
		return nil, fmt.Errorf("%s is not an OpenAPI document", document)
	}
	Normalize(doc)
	if overlay.Path != "" {
		options.Path = overlay.Path
		if doc, err = reload(doc, options); err != nil {
			return nil, err
		}
	}
	relaxErrors(doc)
	return doc, orderProperties(doc, document)
}

// reload applies an overlay to doc. The loader of the generator, which has the overlay, reads files only.
func reload(doc *openapi3.T, options util.LoadSwaggerWithOverlayOpts) (*openapi3.T, error) {
	text, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "generate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "document.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return util.LoadSwaggerWithOverlay(file, options)
}

// requireOperations returns an error for ids that the document does not have: the generator would ignore them.
func requireOperations(doc *openapi3.T, ids []string) error {
	missing := slices.Clone(ids)
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			missing = slices.DeleteFunc(missing, func(id string) bool { return id == operation.OperationID })
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the document has no operation %s", strings.Join(missing, ", "))
	}
	return nil
}
