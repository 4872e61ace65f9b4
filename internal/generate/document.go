package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/util"
)

// load reads a document and prepares it for the generator. It normalizes before it
// applies the overlay, so that overlays find schemas in one form.
func load(document string, settings codegen.Configuration) (*openapi3.T, error) {
	doc, err := loadWithFiles(document)
	if err != nil {
		return nil, err
	}
	Normalize(doc)
	if keepsUnknown(settings) {
		keepUnknown(doc)
	}
	if overlay := settings.OutputOptions.Overlay; overlay.Path != "" {
		if doc, err = apply(overlay, doc); err != nil {
			return nil, err
		}
	}
	relaxErrors(doc)
	return doc, nil
}

// loadWithFiles reads a document from a file or URL. Files next to it that it refers to
// become components.
func loadWithFiles(document string) (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	name := "document"
	at, err := url.Parse(document)
	remote := err == nil && at.Host != ""
	if !remote {
		at, name = &url.URL{Path: filepath.ToSlash(document)}, filepath.Base(document)
	}
	text, err := openapi3.ReadFromURIs(openapi3.ReadFromHTTP(&http.Client{Timeout: time.Minute}), openapi3.ReadFromFile)(loader, at)
	if err != nil {
		return nil, err
	}
	found := places{}
	text = found.prepare(text, name, "")
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, file *url.URL) ([]byte, error) {
		beside := filepath.FromSlash(file.Path)
		switch {
		case file.String() == name:
			return text, nil
		case remote, file.Scheme != "", file.Host != "", !filepath.IsLocal(beside):
			return nil, fmt.Errorf("%q is not read", file)
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(document), beside)) //nolint:gosec // a local path, checked above
		return found.prepare(text, filepath.Base(beside), beside), err
	}
	// just the name: a reference to a file next to it must be a local path
	doc, err := loader.LoadFromDataWithPath(text, &url.URL{Path: name})
	if place := found[nullPart]; place != "" {
		return nil, fmt.Errorf("%s: null; describe it or remove it", place)
	}
	if err != nil {
		return nil, found.locate(err)
	}
	if doc.OpenAPI == "" {
		return nil, fmt.Errorf("%s is not an OpenAPI document", document)
	}
	doc.InternalizeRefs(context.Background(), nil)
	if doc.Components == nil {
		doc.Components = &openapi3.Components{}
	}
	return doc, requireValues(doc)
}

// requireValues rejects a $ref that leads to itself.
func requireValues(doc *openapi3.T) error {
	for _, kind := range []string{"Schemas", "Responses", "RequestBodies", "Parameters"} {
		for name, ref := range reflect.ValueOf(*doc.Components).FieldByName(kind).Seq2() {
			if ref.Elem().FieldByName("Value").IsNil() {
				return fmt.Errorf("components.%s%s.%s: it refers to itself", strings.ToLower(kind[:1]), kind[1:], name)
			}
		}
	}
	return nil
}

// apply applies an overlay through a temporary file: the generator's loader reads only
// files.
func apply(overlay codegen.OutputOptionsOverlay, doc *openapi3.T) (*openapi3.T, error) {
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
	return util.LoadSwaggerWithOverlay(file, util.LoadSwaggerWithOverlayOpts{
		Path: overlay.Path, Strict: overlay.Strict == nil || *overlay.Strict,
		AllowRemoteRefsFrom: []string{}, // nil would allow all
	})
}
