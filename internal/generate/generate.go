package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"text/template"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// The templates that replace those of the generator.
var (
	//go:embed imports.tmpl
	imports string
	//go:embed typedef.tmpl
	typedef string
	//go:embed param-types.tmpl
	paramTypes string
	//go:embed request-bodies.tmpl
	requestBodies string
)

// duplicate is how the generator reports two components with one name.
var duplicate = regexp.MustCompile(`duplicate typename '(\w+)'`)

// keepsUnknown reports whether the code uses internal/wire.
func keepsUnknown(settings codegen.Configuration) bool {
	return settings.OutputOptions.UserTemplates["additional-properties.tmpl"] != ""
}

// generate returns the code of a document.
func generate(document string, settings codegen.Configuration) (string, error) {
	version := generatorVersion()
	settings.NoVCSVersionOverride = &version
	templates := map[string]string{"imports.tmpl": imports, "typedef.tmpl": typedef, "param-types.tmpl": paramTypes, "request-bodies.tmpl": requestBodies}
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
	var requests changes
	if keepsUnknown(settings) {
		requests = schemasOfRequests(doc)
	}
	maps.Copy(codegen.TemplateFunctions, template.FuncMap{"typeOf": requests.typeOf, "isChange": requests.has, "facts": facts, "isObject": isObject})
	code, err := codegen.Generate(doc, settings)
	// The checks need the names that Generate gives, and those depend on settings that Generate keeps in a global variable. Their
	// errors are clearer than its own, of which code is a part.
	parts, failed := partsOf(doc)
	if err := errors.Join(check(parts), checkStreams(doc)); err != nil {
		return "", err
	}
	if err = cmp.Or(err, failed); code == "" || failed != nil {
		if name := duplicate.FindStringSubmatch(err.Error()); name != nil {
			return "", taken(origins(parts, name[1]), name[1])
		}
		return "", fmt.Errorf("%w; change that part of the document in an overlay", err)
	}
	return code, checkTypes(parts, code)
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

// requireOperations returns an error for ids that the document does not have: the generator would ignore them.
func requireOperations(doc *openapi3.T, ids []string) error {
	found := map[string]bool{}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			found[operation.OperationID] = true
		}
	}
	for _, id := range ids {
		if !found[id] {
			return fmt.Errorf("the document has no operation %s", id)
		}
	}
	return nil
}
