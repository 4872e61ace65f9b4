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

// Templates that replace the generator's own.
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

// duplicate matches the generator's error for two components with the same name.
var duplicate = regexp.MustCompile(`duplicate typename '(\w+)'`)

// keepsUnknown reports whether the code uses internal/wire.
func keepsUnknown(settings codegen.Configuration) bool {
	return settings.OutputOptions.UserTemplates["additional-properties.tmpl"] != ""
}

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
		settings.OutputOptions.SkipPrune = false // drop the schemas of other operations, too
	}
	var requests changes
	if keepsUnknown(settings) {
		requests = schemasOfRequests(doc, "")
	}
	maps.Copy(codegen.TemplateFunctions, template.FuncMap{"typeOf": requests.typeOf, "isChange": requests.has, "facts": facts, "isObject": isObject})
	code, err := codegen.Generate(doc, settings)
	// These checks need names from Generate, which depend on settings in a global
	// variable. Their errors are clearer than its own, which quotes generated code.
	parts, failed := partsOf(doc)
	if err := errors.Join(check(parts), checkIntegers(doc), checkStreams(doc)); err != nil {
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

// normalizedText ignores overlays.
func normalizedText(document string, settings codegen.Configuration) (string, error) {
	settings.OutputOptions.Overlay.Path = ""
	doc, err := load(document, settings)
	if err != nil {
		return "", err
	}
	text, err := doc.MarshalJSON()
	return string(text), err
}

// requireOperations rejects unknown ids, which the generator would ignore.
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
